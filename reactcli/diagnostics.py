"""What was noticed about a transcript: one value per finding, and the table of all codes.

A code is a kebab-case claim and never reused. `error`: something is lost; `warning`: something is odd; `info`:
something was guessed. A message is one lower-case sentence; the hint is the way out.
"""

from __future__ import annotations

from reactcli.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from reactcli.source import Span


class Diagnostic(Value):
    code: str
    severity: str
    """`error`, `warning` or `info`."""
    message: str
    span: Span = (0, 0)
    hint: str = ""


CODES: dict[str, tuple[str, str, str]] = {
    # code: severity, message, hint. Braces are filled by `diagnose`.
    # -- the whole text
    "empty-input": ("error", "the input is empty", "give it the text that a model wrote"),
    "nothing-recognised": (
        "error",
        "no label, tag or call was found",
        "`reactcli dialects` shows what is read; --implicit-final takes plain prose as the answer",
    ),
    "no-action-or-answer": (
        "warning",
        "the step has neither an action nor a final answer",
        "the model stopped early, or a label is misspelt",
    ),
    "dialect-tie": ("info", "the text fits {first} and {second}; it was read as {first}", "name one with --dialect"),
    "replaced-bytes": ("warning", "{count} bytes are not UTF-8 and were replaced by U+FFFD", "re-encode the file"),
    "input-too-large": ("error", "the input is larger than {limit}", "{way_out}"),
    "unreadable-file": ("error", "the file cannot be read", ""),
    "line-without-text": ("error", "this line holds no text to parse: {why}", "--field names the field of the text"),
    # -- labels
    "lookalike-label": (
        "warning",
        "this line looks like the label '{label}' but is spelt with other characters; it was read as text",
        "write the label in plain letters",
    ),
    "label-without-colon": ("warning", "'{label}' stands here without a colon; it was read as text", "add the colon"),
    "labels-in-fence": (
        "warning",
        "the labels inside a code fence do not count, and there is no action or answer outside it",
        "write the reply without the fence",
    ),
    "text-before-labels": (
        "info",
        "the text before the first label is not taken for a thought",
        "--primed takes it for one, when the prompt ended in `Thought:`",
    ),
    "text-after-step": ("warning", "the text behind the step was not used: {text}", "--steps reads it as steps"),
    "label-in-mid-line": (
        "warning",
        "'{label}' stands in the middle of a line; it was taken for a label because no line starts with one",
        "put each label at the start of a line",
    ),
    "input-without-action": ("error", "there is an action input but no action", "add an `Action:` line before it"),
    "empty-action": ("error", "the action has no name", "write the tool's name after `Action:`"),
    "input-before-action": ("warning", "the action input stands before its action", "put `Action:` first"),
    "no-action-named": ("info", "'{name}' says that there is no action", ""),
    "text-after-action": ("warning", "the lines after the tool's name were not used", "put the input after its label"),
    "repeated-label": ("warning", "{part} is given more than once; the first was used", "keep one"),
    "unclosed-fence": ("info", "a code fence is never closed, so labels inside it count", "close the fence"),
    "stray-fence": ("info", "a code fence that nothing opened was dropped", ""),
    "dropped-tokens": ("info", "the end of the text, {text}, was dropped", ""),
    "reply-fence": ("info", "the code fence around the whole text was removed", ""),
    "unused-text": ("info", "this text is no part of the step", ""),
    # -- reasoning
    "unclosed-reasoning": (
        "error",
        "the reasoning block is never closed, so nothing behind it is run",
        "the reply was probably cut off: raise the token limit",
    ),
    "unopened-reasoning": ("info", "the reasoning block has no opening tag; it was taken from the start", ""),
    # -- several things in one reply
    "action-and-final-answer": (
        "warning",
        "the text has both an action and a final answer; the answer was used",
        "--on-both action takes the action",
    ),
    "conflict": ("error", "the text has both an action and a final answer", "--on-both final or action picks one"),
    "hallucinated-observation": (
        "warning",
        "the model wrote its own observation",
        "stop the model at 'Observation', or use --steps if this is a transcript",
    ),
    "steps-written-ahead": (
        "warning",
        "{count} more steps were written ahead; {used} was used",
        "use --steps if this is a transcript",
    ),
    "repeated-answer": ("warning", "there is more than one final answer; the last was used", ""),
    "parallel-actions": ("info", "the step asks for {count} actions at once", ""),
    "parallel-mismatch": ("warning", "{tools} tools but {inputs} inputs are named", "give one input for each tool"),
    "several-actions": ("error", "expected exactly 1 action, found {count}", "keep one block"),
    # -- actions
    "unclosed-call": ("error", "the call is never closed: the text was cut off", "ask the model again"),
    "remark-after-action": ("info", "the remark behind the tool's name was not used", ""),
    "name-too-long": ("warning", "the tool's name has {length} characters; names have at most {limit}", ""),
    "blob-without-name": ("error", "the JSON names no tool", 'name the tool under "action"'),
    "unused-keys": ("info", "these keys of the JSON were not used: {keys}", ""),
    # -- arguments
    "truncated-input": ("error", "the input was cut off in the middle of a value", "ask the model again"),
    "invalid-json": ("warning", "this is not JSON and was kept as text: {why}", ""),
    "not-json": ("info", "this starts like JSON but is not; it was kept as text", ""),
    "python-literal": ("warning", "'{text}' is Python, not JSON", "write true, false or null"),
    "single-quotes": ("warning", "strings are quoted with ' instead of \"", "use double quotes"),
    "curly-quotes": ("warning", "strings are quoted with curly quotes", "use plain double quotes"),
    "full-width-sign": ("warning", "'{text}' stands where JSON has '{plain}'", "use the plain sign"),
    "unescaped-quote": ("warning", "a quote inside a string is not escaped", 'write \\"'),
    "trailing-comma": ("warning", "a comma stands before a closing bracket", "remove it"),
    "json-comment": ("warning", "JSON has no comments; this one was dropped", "remove it"),
    "raw-newline": ("warning", "a string holds a raw line break or control character", "write it as an escape"),
    "bad-backslash": ("warning", "'{text}' is no JSON escape; the backslash was kept", "double the backslash"),
    "escaped-apostrophe": (
        "warning",
        "JSON knows no escape for '; it was read as the plain character",
        "write it bare",
    ),
    "missing-closer": ("warning", "a closing '{text}' is missing", "close every bracket"),
    "input-fence": ("info", "the code fence around the input was removed for the arguments", ""),
    "text-after-input": ("warning", "text after the arguments was not used", "put nothing after the JSON"),
    "several-values": ("error", "the input holds {count} JSON values where one is expected", "give one object"),
    "double-encoded": ("info", "the input is a JSON string that holds JSON; it was decoded once more", ""),
    "call-wrapper": ("info", "the call '{name}(…)' around the arguments was removed", ""),
    "duplicate-key": ("warning", 'the key "{key}" is given twice; the last was used', "keep one"),
    "not-finite": ("warning", "'{text}' is no JSON number", "write a finite number or null"),
    "number-too-long": ("error", "a number of {digits} digits is over the limit of {limit}", "send it as a string"),
    "too-deep": ("error", "values are nested deeper than {limit}", "flatten the input"),
    "input-too-long": ("error", "the input is longer than {limit} characters; it was kept as text", "send less"),
    # -- trace files
    "torn-record": ("error", "the record is cut off and was skipped: {why}", "the writer was stopped in mid-line"),
    "bad-record": ("error", "this is no JSON and was skipped: {why}", "the line is damaged, or not part of the trace"),
    "record-too-long": ("error", "the record is longer than {limit} and was skipped", "split it"),
    "not-a-record": ("error", "{what} should stand here, and this is {kind}; it was skipped", ""),
    "wrong-type": ("warning", "{part} is {kind}, not text; it was kept as JSON text", "write it as a string"),
    "unread-parts": (
        "warning",
        "these keys look like parts of a step and were not read: {keys}",
        "--map says what they are, as in action=tool,action_input=args,observation=obs",
    ),
    "map-leads-nowhere": ("warning", "the map finds nothing with {entry}", "look at the keys of the file"),
    "unknown-version": ("warning", "the file says version {version}; it was read as version 1", "update reactcli"),
    "result-without-call": ("warning", "a result names the call '{call}', which nothing asked for", ""),
    "repeated-result": ("warning", "there is a second result for the call '{call}'; the first was used", ""),
    "continuation-not-read": ("warning", "the trace goes on in '{name}', which was not read: {why}", "{way_out}"),
    "sequence-gap": ("error", "record {expected} should stand here, and this is {found}", "lines are missing or moved"),
    "hash-mismatch": (
        "error",
        "this record, or the order of the lines, was changed",
        "the hash covers the bytes of the line, so that reformatting is a change too",
    ),
    "no-end-record": ("error", "the recording has no end record", "the run was cut off, or lines are missing"),
    "record-behind-end": ("error", "a record stands behind the end record", "two recordings were joined"),
    "lone-surrogate": ("warning", "half of a surrogate pair stands alone", "write the whole character"),
    "not-a-trace": ("error", "{why}", "{way_out}"),
    # -- a whole run
    "repeated-call": (
        "warning",
        "'{tool}' was called {times} times in a row with the same input and the same result",
        "stop the run, or tell the model that nothing has changed",
    ),
    "repeated-unknown-tool": (
        "warning",
        "'{tool}', which is no tool, was called {times} times in a row",
        "name the tools in the prompt, and in the error that the model sees",
    ),
    "repeated-error": (
        "warning",
        "the same error came back {times} times in a row",
        "let the error say what would be right",
    ),
    "call-cycle": (
        "warning",
        "the same {length} calls with the same results were made {times} times over",
        "stop the run, or tell the model what it has tried",
    ),
    "repeated-steps": (
        "warning",
        "three calls with the same results were made before, in the same order",
        "stop the run, or tell the model what it has tried",
    ),
    "same-tool": ("warning", "'{tool}' was called {times} times in a row", "--max-same-tool sets how many are fine"),
    "no-final-answer": (
        "warning",
        "the run ends without a final answer",
        "it was stopped, or the model never gave one: see its last step",
    ),
    "action-without-observation": (
        "warning",
        "nothing is recorded of what '{tool}' answered, and the run goes on",
        "record an observation for every action, even an empty one",
    ),
    "observation-without-action": (
        "warning",
        "there is an observation, but no action before it",
        "write the action that was run before its `Observation:`",
    ),
    "action-without-thought": ("info", "'{tool}' was called without a thought", "ask for a `Thought:` in the prompt"),
    "secret-like-text": (
        "warning",
        "this looks like a secret ({kind})",
        "`reactcli convert --redact` takes it out; then have a new one issued",
    ),
    "control-characters": (
        "warning",
        "{part} holds characters that could drive a terminal or hide text: {characters}",
        "take them out where the text comes from",
    ),
    "unknown-tool": ("error", "there is no tool '{tool}'", "{way_out}"),
    "bad-arguments": ("error", "'{tool}' does not take this input: {why}", "`reactcli tools` shows what it takes"),
}


def diagnose(code: str, span: Span, **facts: object) -> Diagnostic:
    """The diagnostic of a code, its message filled with facts. The offending text is quoted, cut at 60 characters."""
    severity, message, hint = CODES[code]
    if facts:
        short = {name: _shortened(fact) for name, fact in facts.items()}
        message, hint = message.format_map(short), hint.format_map(short)
    return Diagnostic(code, severity, message, span, hint)


def in_order(notes: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """In the order of the text; those of one place as they were found."""
    return tuple(sorted(notes, key=lambda note: note.span[0]))


def _shortened(fact: object) -> str:
    text = str(fact)
    return text if len(text) <= 60 else f"{text[:57]}…"
