// What the agent does with a wish: find the free rooms, book the smallest.

import type {Arguments} from "./rooms.js";

export interface Call {
    tool: string;
    given: Arguments;
}

interface Wish {
    day: string;
    hour: number;
    people: number;
}

export type Step = Call | string;

/** The next step: a call, or the answer. `results` holds what the calls so far gave, in order. */
export function nextStep(words: string, results: unknown[]): Step {
    const wish = understood(words);
    if (wish === undefined) return "For which day, at what hour, and for how many people?";
    const {day, hour, people} = wish;
    const [rooms, booked] = results;
    if (rooms === undefined) return {tool: "free_rooms", given: {day, hour, people}};
    const [room] = rooms as string[];
    if (room === undefined) return `No room for ${people} is free on ${day} at ${hour}.`;
    if (booked === undefined) return {tool: "book_room", given: {room, day, hour}};
    return `${booked} for ${people} on ${day} at ${hour}.`;
}

function understood(words: string): Wish | undefined {
    const day = /\b(mon|tue|wed|thu|fri)/i.exec(words)?.[1];
    const hour = /\bat (\d+)/.exec(words)?.[1];
    const people = /(\d+) (?:people|of us)/.exec(words)?.[1];
    if (day === undefined || hour === undefined || people === undefined) return undefined;
    return {day: day.toLowerCase(), hour: Number(hour), people: Number(people)};
}
