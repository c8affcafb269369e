// The agent: POST /run answers a request of gatebot's, GET /ready says that the model is loaded.

import {readFileSync} from "node:fs";
import {createServer} from "node:http";
import {loadModel} from "./model.mjs";

const DONE = {
    refund: (order) => `Order ${order} is refunded.`,
    track: (order) => `Order ${order} arrives tomorrow.`,
    cancel: (order) => `Order ${order} is cancelled.`,
    invoice: (order) => `The invoice of order ${order} is on its way.`,
};

const decide = await loadModel(process.env.VIRTUAL_ENV, JSON.parse(readFileSync("examples.json", "utf8")));

async function answer({input, seed}) {
    const {tool, order} = await decide(input, seed);
    const result = DONE[tool](order);
    const call = {id: "call_1", type: "function", function: {name: tool, arguments: JSON.stringify({order})}};
    return {
        messages: [
            {role: "assistant", content: null, tool_calls: [call]},
            {role: "tool", tool_call_id: call.id, content: result},
            {role: "assistant", content: result},
        ],
    };
}

let last = Promise.resolve(); // one model, one request at a time: an answer must not depend on its neighbours

const server = createServer(async (request, response) => {
    if (request.method === "GET") {
        response.end("ready\n");
        return;
    }
    const parts = [];
    for await (const part of request) parts.push(part);
    last = last
        .then(() => answer(JSON.parse(Buffer.concat(parts).toString("utf8"))))
        .then((said) => response.setHeader("content-type", "application/json").end(JSON.stringify(said)))
        .catch((error) => response.writeHead(500).end(String(error)));
});

server.listen(Number(process.env.PORT), "127.0.0.1");
