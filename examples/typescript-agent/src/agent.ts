// Answers one request of gatebot's: standard input to standard output, messages in OpenAI's chat form.

import {readFileSync} from "node:fs";
import {nextStep} from "./desk.js";
import {TOOLS} from "./rooms.js";

interface Request {
    input: string;
    seed: number;
}

const MOST_STEPS = 10;

const {input}: Request = JSON.parse(readFileSync(0, "utf8"));
const messages: object[] = [];
const results: unknown[] = [];

for (let step = 1; step <= MOST_STEPS; step += 1) {
    const next = nextStep(input, results);
    if (typeof next === "string") {
        messages.push({role: "assistant", content: next});
        break;
    }
    const id = `call_${step}`;
    const made = {name: next.tool, arguments: JSON.stringify(next.given)};
    const result = TOOLS.get(next.tool)?.(next.given) ?? `there is no tool ${next.tool}`;
    results.push(result);
    messages.push({role: "assistant", content: null, tool_calls: [{id, type: "function", function: made}]});
    messages.push({role: "tool", tool_call_id: id, content: JSON.stringify(result)});
}

console.log(JSON.stringify({messages}));
