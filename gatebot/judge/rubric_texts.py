"""The words of the built-in rubrics. A change of a word here is another rubric, and wants a new calibration."""

from __future__ import annotations

from typing import Literal

BUILTIN_ASKS: dict[str, tuple[Literal["answer", "trajectory"], str]] = {
    "trajectory": (
        "trajectory",
        (
            "Judge whether the steps lead from the task to the goal sensibly. Where the material has a `reference`, the "
            "reference is one accepted way: other ways are as good when they reach the same end with no more risk. "
            "Without one, judge by the task alone.\n"
            "1: every step serves the task, follows from what came before, and the end is reached.\n"
            "0.7: the end is reached with a detour or a step that adds nothing.\n"
            "0.4: part of the task is done, or the end is reached by luck or against what a result said.\n"
            "0: the steps do not serve the task, or there are none where some were needed."
        ),
    ),
    "final_response": (
        "answer",
        (
            "Judge whether the answer does what the user asked: right in every fact, complete, and nothing invented. "
            "Where the material has a `reference` answer, facts must agree with it; wording is free.\n"
            "1: right and complete. 0.5: right in the main, with an omission or an unclear part. "
            "0: wrong in a fact that matters, or no answer. A different number, date, amount or a reversed yes and no is wrong."
        ),
    ),
    "tool_use": (
        "trajectory",
        (
            "Judge the tool calls alone: is each tool apt for what was needed, are its arguments right and complete, and is "
            "each result read rightly in what follows?\n"
            "1: all of that at every step. 0.5: a wrong argument, a misread result or an inapt tool that was put right later. "
            "0: calls that were wrong and stayed so, or needed calls that were never made."
        ),
    ),
    "efficiency": (
        "trajectory",
        (
            "Judge whether the goal is reached without needless work: repeated calls with the same arguments, detours, "
            "calls whose result is not used, calls in turn that could have been made together.\n"
            "1: nothing could be left out. 0.5: about a third of the steps could. 0: most could, or the goal is not reached: "
            "doing nothing is not efficient."
        ),
    ),
    "grounding": (
        "trajectory",
        (
            "Judge whether every fact of the answer rests on a tool result, the context or the task. Facts of common "
            "knowledge need no source; names, numbers, dates, ids, links and quotations do.\n"
            "1: all rest on the material. 0.5: one of minor weight does not. 0: one that matters does not, or it contradicts "
            "a result, or there is no answer."
        ),
    ),
    "questions": (
        "trajectory",
        "Answer each of the six questions with yes (true) or no (false), each by itself. When in doubt, no.",
    ),
}

QUESTIONS: dict[str, str] = {
    "information_identified": "Did the agent find out what information it needed?",
    "tools_apt": "Did it choose tools that are apt for that?",
    "results_read": "Did it read the results rightly?",
    "answer_complete": "Is the answer complete?",
    "no_needless_calls": "Did it make no needless calls?",
    "reasoning_coherent": "Does each step follow from what was known before it?",
}
"""The six classic questions about a trajectory."""
