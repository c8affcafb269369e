// The tools of the desk, and the calendar behind them.

export type Arguments = Record<string, string | number>;

interface Room {
    name: string;
    seats: number;
    taken: string[];
}

const ROOMS: Room[] = [
    {name: "Oak", seats: 4, taken: ["mon 9", "tue 14"]},
    {name: "Elm", seats: 8, taken: ["mon 9"]},
    {name: "Ash", seats: 20, taken: ["wed 10"]},
];

/** Rooms with enough seats that are free then, the smallest first. */
function freeRooms({day, hour, people}: Arguments): string[] {
    return ROOMS.filter((room) => room.seats >= Number(people) && !room.taken.includes(`${day} ${hour}`)).map(
        (room) => room.name,
    );
}

/** Book a room; one that is taken stays with whoever has it. */
function bookRoom({room, day, hour}: Arguments): string {
    const found = ROOMS.find(({name}) => name === room);
    if (found === undefined) return `there is no room ${room}`;
    return found.taken.includes(`${day} ${hour}`) ? `${room} is taken` : `${room} is booked`;
}

export const TOOLS = new Map<string, (given: Arguments) => unknown>([
    ["free_rooms", freeRooms],
    ["book_room", bookRoom],
]);
