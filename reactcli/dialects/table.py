"""The dialects themselves, one entry for each: data only. Tried in this order, so tokens stand before tags (R17)."""

from __future__ import annotations

from reactcli.dialects.kinds import Dialect, Mark
from reactcli.dialects.parts import Part

_GAP = r"(?:[ \t]|\r\n?|\n){0,8}"
"""A little white space, counted alike whatever ends the lines."""

_CALL_BODY = r"\s{0,20}(?:[{\[<`]|[\w.-]{1,200}[ \t]{0,3}(?:[\r\n<({:]|\Z)|\Z)"
"""A call object, the name of a tool, or a further tag; perhaps in a fence."""
TABLE = (
    Dialect(
        "classic",
        "Thought, Action, Action Input, Observation and Final Answer as labels, in eleven languages",
        "Thought: I need the population.\nAction: lookup\nAction Input: Reykjavik population\n",
        also=(
            "base langchain langchain-mrkl crewai qwen-react react toolbench dbgpt nat lagent haystack "
            "modelscope-react chatchat markdown zh ja ko ru es pt fr de vi"
        ),
        spellings=("lines",),
        weak_answer=False,
    ),
    Dialect(
        "bracket",
        "the tool and its input in brackets, as in the ReAct paper",
        "Thought 1: I should find the lake first.\nAction 1: Search[Lake Baikal]\n",
        also="react-paper reflexion fireact agentlite hello-agents langchain-docstore webshop",
        spellings=("call", "lines"),
    ),
    Dialect(
        "call",
        "the tool called like a function",
        "Thought: press the blue button\nAction: click(start_box='(10,20)')\n",
        also="call-syntax ui-tars appagent agentbench-kg llmcompiler",
        spellings=("call", "lines"),
    ),
    Dialect(
        "pause",
        "the tool and its input behind one label, then PAUSE",
        "Thought: multiply\nAction: calculate: 4.87e24 * 2\nPAUSE\n",
        spellings=("pause", "lines"),
    ),
    Dialect(
        "llamaindex",
        "the classic labels with JSON inputs and the short final label `Answer:`",
        "Thought: No further tool is required.\nAnswer: 7\n",
        also="llamaindexts",
        spellings=("lines",),
    ),
    Dialect(
        "json",
        "one JSON object that names the tool and its input, bare, fenced or behind `Action:`",
        'Thought: use it\nAction:\n```json\n{"action": "weather", "action_input": {"city": "Quito"}}\n```\n',
        also=(
            "json-blob langchain-json structured-chat dify griptape cohere langroid swe-agent-json "
            "agentscope-json smolagents-json langchainjs"
        ),
        spellings=("blob", "lines"),
    ),
    Dialect(
        "harmony",
        "channels of gpt-oss: analysis, commentary to a function, final",
        "<|channel|>analysis<|message|>Need the weather tool.<|end|><|start|>assistant<|channel|>commentary "
        'to=functions.get_weather <|constrain|>json<|message|>{"city": "Oslo"}<|call|>\n',
        also="gpt-oss",
        evidence=("<|channel|>",),
        beside_labels=True,
        sure=True,
        marks=(
            Mark(
                Part.OBSERVATION,
                r"(?:<\|start\|>)functions\.[^<>\n]{1,100}<\|channel\|>[^<>\n]{0,100}<\|message\|>",
                "<|end|>",
            ),
            Mark(Part.THOUGHT, r"(?:<\|start\|>assistant)?<\|channel\|>analysis<\|message\|>", "<|end|>"),
            Mark(
                Part.ACTION,
                r"(?:<\|start\|>assistant)?<\|channel\|>(?:commentary|analysis) to="
                r"(?:functions\.)?(?P<name>[^\s<>]{1,200})"
                r"(?:[ \t]{0,3}(?:<\|constrain\|>)?[^<>\n]{0,40})?<\|message\|>",
                "<|call|>",
            ),
            Mark(
                Part.ACTION,
                r"<\|start\|>assistant to=(?:functions\.)?(?P<name>[^\s<>]{1,200})<\|channel\|>[^<>\n]{0,60}"
                r"(?:<\|constrain\|>[^<>\n]{0,40})?<\|message\|>",
                "<|call|>",
            ),
            Mark(
                Part.FINAL_ANSWER,
                r"(?:<\|start\|>assistant)?<\|channel\|>final(?: <\|constrain\|>[^<>\n]{0,40})?<\|message\|>",
                "<|return|>",
            ),
            Mark(Part.THOUGHT, r"(?:<\|start\|>assistant)?<\|channel\|>commentary<\|message\|>", "<|end|>"),
        ),
    ),
    Dialect(
        "kimi",
        "tool-call tokens of Kimi K2",
        '<|tool_calls_section_begin|><|tool_call_begin|>functions.load_file:0<|tool_call_argument_begin|>{"path": "a"}'
        "<|tool_call_end|><|tool_calls_section_end|>\n",
        evidence=("<|tool_call_begin|>",),
        beside_labels=True,
        marks=(
            Mark(
                Part.ACTION,
                rf"(?:<\|tool_calls_section_begin\|>)?{_GAP}<\|tool_call_begin\|>{_GAP}(?:functions\.)?(?P<name>[^\s<>:]{{1,200}})"
                rf"(?P<id>:\d{{1,6}})?{_GAP}<\|tool_call_argument_begin\|>",
                "<|tool_call_end|>",
            ),
        ),
    ),
    Dialect(
        "internlm2",
        "plugin and interpreter tokens of InternLM 2",
        '<|action_start|><|plugin|>\n{"name": "search", "parameters": {"q": "kelp"}}<|action_end|>\n',
        also="internlm",
        evidence=("<|action_start|>",),
        beside_labels=True,
        marks=(
            Mark(Part.ACTION, rf"<\|action_start\|>{_GAP}<\|interpreter\|>", "<|action_end|>", tool="interpreter"),
            Mark(Part.ACTION, rf"<\|action_start\|>{_GAP}<\|plugin\|>", "<|action_end|>"),
        ),
    ),
    Dialect(
        "modelscope",
        "ModelScope's start-of-think token, which holds the action in spite of its name",
        '<|startofthink|>{"api_name": "weather", "parameters": {"city": "Hangzhou"}}<|endofthink|>\n',
        evidence=("<|startofthink|>",),
        beside_labels=True,
        marks=(Mark(Part.ACTION, r"<\|startofthink\|>", "<|endofthink|>"),),
    ),
    Dialect(
        "qwen-tokens",
        "function-call tokens of the older Qwen agents",
        '✿FUNCTION✿: get_time\n✿ARGS✿: {"tz": "UTC"}\n',
        also="qwen-fncall",
        evidence=("✿FUNCTION✿", "✿RETURN✿"),
        beside_labels=True,
        marks=(
            Mark(Part.ACTION, r"✿FUNCTION✿[:：]?"),
            Mark(Part.ACTION_INPUT, r"✿ARGS✿[:：]?"),
            Mark(Part.OBSERVATION, r"✿RESULT✿[:：]?"),
            Mark(Part.FINAL_ANSWER, r"✿RETURN✿[:：]?"),
        ),
    ),
    Dialect(
        "dspy",
        "DSPy's field headers",
        "[[ ## next_thought ## ]]\nI should search.\n\n[[ ## next_tool_name ## ]]\nsearch\n\n"
        '[[ ## next_tool_args ## ]]\n{"query": "kelp"}\n\n[[ ## completed ## ]]\n',
        evidence=("\n[[ ## ",),
        beside_labels=True,
        sure=True,
        marks=(
            Mark(Part.THOUGHT, r"\[\[ ## (?:next_thought|reasoning|thought)(?:_\d{1,4})? ## \]\]"),
            Mark(Part.ACTION, r"\[\[ ## (?:next_tool_name|tool_name)(?:_\d{1,4})? ## \]\]"),
            Mark(Part.ACTION_INPUT, r"\[\[ ## (?:next_tool_args|tool_args)(?:_\d{1,4})? ## \]\]"),
            Mark(Part.OBSERVATION, r"\[\[ ## observation(?:_\d{1,4})? ## \]\]"),
            Mark(Part.QUESTION, r"\[\[ ## question ## \]\]"),
            Mark(Part.ASIDE, r"\[\[ ## (?:completed|trajectory) ## \]\]"),
            Mark(Part.FINAL_ANSWER, r"\[\[ ## \w{1,60} ## \]\]"),
        ),
    ),
    Dialect(
        "semantic-kernel",
        "bracketed headers of Semantic Kernel's planners",
        '[THOUGHT]\nFirst find the date.\n[ACTION]\n{"action": "time.Today", "action_variables": {"zone": "UTC"}}\n',
        also="sk",
        evidence=tuple(
            f"{before}[{spelt}"
            for before in ("\n", "|>")
            for word in ("thought", "action", "final")
            for spelt in (word, word.title(), word.upper())
        ),
        beside_labels=True,
        sure=True,
        marks=(
            Mark(Part.THOUGHT, r"\[(?i:thought)\](?!\():?"),
            Mark(Part.ACTION, r"\[(?i:action)\](?!\():?"),
            Mark(Part.ACTION_INPUT, r"\[(?i:action[ _-]?input)\](?!\():?"),
            Mark(Part.OBSERVATION, r"\[(?i:observation)\](?!\():?"),
            Mark(Part.FINAL_ANSWER, r"\[(?i:final[ _-]?answer)\](?!\():?"),
            Mark(Part.QUESTION, r"\[(?i:question)\](?!\():?"),
        ),
    ),
    Dialect(
        "mistral",
        "the tool-calls token of Mistral",
        '[TOOL_CALLS][{"name": "get_time", "arguments": {"tz": "UTC"}}]\n',
        evidence=("[TOOL_CALLS]",),
        beside_labels=True,
        marks=(
            Mark(Part.ACTION, r"\[TOOL_CALLS\](?P<name>[\w.-]{1,60})(?:\[CALL_ID\]\w{1,20})?\[ARGS\]"),
            Mark(Part.ACTION, r"\[TOOL_CALLS\]"),
            Mark(Part.OBSERVATION, r"\[TOOL_RESULTS\]", "[/TOOL_RESULTS]"),
        ),
    ),
    Dialect(
        "deepseek",
        "tool-call tokens of DeepSeek V3 and R1",
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_time\n"
        '```json\n{"tz": "UTC"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>\n',
        evidence=("<｜tool▁call▁begin｜>",),
        beside_labels=True,
        marks=(
            Mark(
                Part.ACTION,
                rf"(?:<｜tool▁calls▁begin｜>)?{_GAP}<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?(?P<name>[\w.-]{{1,200}})"
                rf"(?:<｜tool▁sep｜>)?{_GAP}",
                "<｜tool▁call▁end｜>",
            ),
            Mark(Part.OBSERVATION, r"<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>"),
        ),
    ),
    Dialect(
        "llama",
        "the python tag of Llama 3",
        '<|python_tag|>{"name": "get_time", "parameters": {"tz": "UTC"}}<|eom_id|>\n',
        evidence=("<|python_tag|>",),
        beside_labels=True,
        marks=(Mark(Part.ACTION, r"<\|python_tag\|>", "<|eom_id|>"),),
        spellings=("blob", "code", "call"),
    ),
    Dialect(
        "granite",
        "the tool-call token of Granite and Phi",
        '<|tool_call|>[{"name": "get_time", "arguments": {"tz": "UTC"}}]\n',
        also="phi",
        evidence=("<|tool_call|>",),
        beside_labels=True,
        marks=(Mark(Part.ACTION, r"<\|tool_call\|>", "<|/tool_call|>"),),
    ),
    Dialect(
        "invoke",
        "invoke and parameter tags of Claude's text form",
        "<function_calls>\n"
        '<invoke name="get_time">\n<parameter name="tz">UTC</parameter>\n</invoke>\n</function_calls>\n',
        also="anthropic-text minimax",
        evidence=("<invoke name=",),
        marks=(
            Mark(
                Part.ACTION,
                rf"(?:<(?:\w{{1,8}}:)?function_calls>)?{_GAP}<(?:\w{{1,8}}:)?"
                r'invoke name="(?P<name>[^"<>\n]{1,60})">',
                "</invoke>",
            ),
            Mark(Part.ARGUMENT, r'<(?:\w{1,20}:)?parameter name="(?P<name>[^"<>\n]{1,200})">', "</parameter>"),
            Mark(Part.OBSERVATION, r"<function_results>", "</function_results>"),
        ),
    ),
    Dialect(
        "hermes",
        "tool_call tags of Hermes, Qwen 2.5 and 3 and their followers",
        "<think>The time is asked for.</think>\n"
        '<tool_call>\n{"name": "get_time", "arguments": {"tz": "UTC"}}\n</tool_call>\n',
        also="glm tool-call qwen3 deepresearch qwen3-coder swe-agent-xmlfc function",
        evidence=("<tool_call>", "<function=", "<function_call>"),
        marks=(
            Mark(Part.ACTION, r"<function=(?P<name>[^\s<>]{1,200})>", "</function>"),
            Mark(Part.ARGUMENT, r"<parameter=(?P<name>[^\s<>]{1,200})>", "</parameter>"),
            Mark(Part.ARGUMENT, rf"<arg_key>(?P<name>[^<>\n]{{1,200}})</arg_key>{_GAP}<arg_value>", "</arg_value>"),
            Mark(Part.THOUGHT, r"<thought>", "</thought>"),
            Mark(Part.ACTION, r"<tool_call>", "</tool_call>", body=_CALL_BODY),
            Mark(Part.ACTION, r"<function_call>", "</function_call>", body=_CALL_BODY),
            Mark(Part.OBSERVATION, r"<tool_response>", "</tool_response>"),
            Mark(Part.FINAL_ANSWER, r"<answer>", "</answer>"),
        ),
    ),
    Dialect(
        "xml",
        "tool, tool_input and final_answer tags of LangChain's XML agent",
        "I should look.\n<tool>search</tool><tool_input>tide times</tool_input>\n",
        also="langchain-xml",
        evidence=("<tool>", "<final_answer>"),
        marks=(
            Mark(Part.THOUGHT, r"<thought>", "</thought>"),
            Mark(Part.ACTION, r"<tool>", "</tool>"),
            Mark(Part.ACTION_INPUT, r"<tool_input>", "</tool_input>"),
            Mark(Part.OBSERVATION, r"<observation>", "</observation>"),
            Mark(Part.FINAL_ANSWER, r"<final_answer>", "</final_answer>"),
        ),
    ),
    Dialect(
        "agentscope",
        "a tag for the thought, one for the function, and one for each argument",
        "<thought>need weather</thought>\n<function>get_weather</function>\n<city>Oslo</city>\n<days>2</days>\n",
        evidence=("<function>",),
        marks=(
            Mark(Part.THOUGHT, r"<thought>", "</thought>"),
            Mark(Part.ACTION, r"<function>", "</function>"),
            Mark(Part.ARGUMENT, r"<(?P<name>[A-Za-z_][\w.-]{0,60})>", "</{tag}>"),
        ),
    ),
    Dialect(
        "openagents",
        "Thought and Action tags, the action called like a function",
        "<Thought>The basket icon is what I want</Thought>\n<Action>click(91)</Action>\n",
        evidence=("<Action>", "<action>"),
        marks=(
            Mark(Part.THOUGHT, r"<[Tt]hought>", "</{tag}>"),
            Mark(Part.ACTION, r"<[Aa]ction>", "</{tag}>"),
            Mark(Part.ACTION_INPUT, r"<[Aa]ction_[Ii]nput>", "</{tag}>"),
            Mark(Part.OBSERVATION, r"<[Oo]bservation>", "</{tag}>"),
            Mark(Part.FINAL_ANSWER, r"<(?:[Ff]inal_[Aa]nswer|[Aa]nswer)>", "</{tag}>"),
        ),
    ),
    Dialect(
        "search-r1",
        "search and answer tags of Search-R1 and its followers",
        "<think>I should look it up.</think>\n<search>when did Voyager 1 launch</search>\n",
        evidence=("<search>", "<answer>"),
        marks=(
            Mark(Part.THOUGHT, r"<thought>", "</thought>"),
            Mark(Part.ACTION, r"<search>", "</search>", tool="search"),
            Mark(Part.OBSERVATION, r"<information>", "</information>"),
            Mark(Part.FINAL_ANSWER, r"<answer>", "</answer>"),
        ),
    ),
    Dialect(
        "code",
        "code as the action, in code tags or a fence behind `Code:`",
        "Thought: sum them\n<code>\nprint(sum(range(5)))\n</code>\n",
        also="smolagents codeact",
        evidence=("<code>", "<execute>", "Code:"),
        marks=(
            Mark(Part.ACTION, r"<(?:code|execute)>", "</{tag}>", tool="python_interpreter"),
            Mark(
                Part.ACTION,
                rf"\*{{0,2}}Code:\*{{0,2}}{_GAP}```(?:python|py)?[ \t]{{0,3}}(?:\r\n?|\n)",
                "```",
                tool="python_interpreter",
            ),
        ),
    ),
    Dialect(
        "langchain-convo",
        "the classic labels with the answer behind `AI:`",
        "Thought: Do I need to use a tool? No\nAI: You are free all day.\n",
        labels={"AI": Part.FINAL_ANSWER},
        explicit=True,
    ),
    Dialect(
        "langchain-selfask",
        "self-ask with search: follow-up questions and intermediate answers",
        "Are follow up questions needed here: Yes.\nFollow up: Who wrote it?\n",
        labels={
            "Follow up": Part.ACTION_INPUT,
            "Intermediate answer": Part.OBSERVATION,
            "So the final answer is": Part.FINAL_ANSWER,
        },
        label_tools={"Follow up": "Intermediate Answer"},
        explicit=True,
    ),
    Dialect(
        "swe-agent",
        "prose and a command: the last fenced block, or a command tag",
        "Let me list the files.\n```\nls -la\n```\n",
        marks=(Mark(Part.ACTION, r"<command>", "</command>", tool="bash"),),
        fences="last",
        explicit=True,
    ),
    Dialect(
        "mini-swe",
        "prose and exactly one fenced bash block",
        "THOUGHT: Let me list the files.\n```mswea_bash_command\nls -la\n```\n",
        also="mini-swe-agent",
        marks=(Mark(Part.ACTION, r"<mswea_bash_command>", "</mswea_bash_command>", tool="bash"),),
        fences="only",
        fence_words=("mswea_bash_command", "bash"),
        explicit=True,
    ),
)
