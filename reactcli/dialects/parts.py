"""The parts of a transcript, and the words of eleven languages that open them."""

from __future__ import annotations

from enum import StrEnum

from reactcli.patterns import pattern


class Part(StrEnum):
    """What a piece of a transcript is."""

    PREAMBLE = "preamble"
    QUESTION = "question"
    THOUGHT = "thought"
    REASONING = "reasoning"
    PLAN = "plan"
    REFLECTION = "reflection"
    ASIDE = "aside"
    """A labelled remark that only ends what stands before it (`Summary:`, `Phase:`)."""
    ACTION = "action"
    ACTION_INPUT = "action_input"
    ARGUMENT = "argument"
    """One named argument in a tag of its own."""
    OBSERVATION = "observation"
    FINAL_ANSWER = "final_answer"
    ANSWER = "answer"
    """The weak `Answer:`, final only where no action stands before it."""
    MARK = "mark"
    """A label, tag or token itself, with its colon and decoration."""
    DROPPED = "dropped"
    """Fences around a whole reply, stop words, end-of-turn tokens."""


LABELS: dict[str, dict[Part, str]] = {
    "en": {
        Part.THOUGHT: "Thought|Thoughts|Think|Reasoning",
        Part.ACTION: "Action|Actions|Act|Tool",
        Part.ACTION_INPUT: "Action Input|Tool Input|Input|Action Arguments|Arguments|Args|Parameters",
        Part.OBSERVATION: "Observation|Observations|Obs|Response|Result",
        Part.FINAL_ANSWER: "Final Answer|Final Response|So the final answer is",
        Part.ANSWER: "Answer",
        Part.QUESTION: "Question",
        Part.REFLECTION: "Reflection",
        Part.PLAN: "Plan",
        Part.ASIDE: "Summary|Phase|Action Intention|Action Reason|Action Summary|Relevant Documents|Cited Documents|"
        "Grounded answer",
    },
    "zh": {
        Part.THOUGHT: "思考|想法|思路|思",
        Part.ACTION: "行动|动作|工具|行|行動|動作",
        Part.ACTION_INPUT: "行动输入|动作输入|工具输入|行動輸入|動作輸入|输入|参数|輸入|參數",
        Part.OBSERVATION: "观察|观察结果|观测|觀察",
        Part.FINAL_ANSWER: "最终答案|最终回答|最终回复|最后的回应|最終答案",
        Part.ANSWER: "答案|回答",
        Part.QUESTION: "问题|任务|問題",
        Part.REFLECTION: "反思",
    },
    "ja": {
        Part.ACTION: "アクション",
        Part.ACTION_INPUT: "行動の入力|行動入力|アクション入力|入力",
        Part.OBSERVATION: "観察",
        Part.FINAL_ANSWER: "最終回答|最終的な答え|最終的な回答",
        Part.QUESTION: "質問",
    },
    "ko": {
        Part.THOUGHT: "생각",
        Part.ACTION: "행동",
        Part.ACTION_INPUT: "행동 입력|입력",
        Part.OBSERVATION: "관찰",
        Part.FINAL_ANSWER: "최종 답변",
        Part.ANSWER: "답변",
        Part.QUESTION: "질문",
    },
    "ru": {
        Part.THOUGHT: "Мысль|Мысли|Размышление",
        Part.ACTION: "Действие",
        Part.ACTION_INPUT: "Входные данные|Входные данные действия|Ввод действия|Вход действия|Аргументы",
        Part.OBSERVATION: "Наблюдение",
        Part.FINAL_ANSWER: "Окончательный ответ|Финальный ответ|Итоговый ответ",
        Part.ANSWER: "Ответ",
        Part.QUESTION: "Вопрос",
    },
    "es": {
        Part.THOUGHT: "Pensamiento",
        Part.ACTION: "Acción",
        Part.ACTION_INPUT: "Entrada de la acción|Entrada de acción|Introducción de acción|Entrada",
        Part.OBSERVATION: "Observación",
        Part.FINAL_ANSWER: "Respuesta final",
        Part.ANSWER: "Respuesta",
        Part.QUESTION: "Pregunta",
    },
    "pt": {
        Part.THOUGHT: "Pensamento",
        Part.ACTION: "Ação",
        Part.ACTION_INPUT: "Entrada da ação|Entrada de ação|Input da ação",
        Part.OBSERVATION: "Observação",
        Part.FINAL_ANSWER: "Resposta final",
        Part.ANSWER: "Resposta",
        Part.QUESTION: "Pergunta",
    },
    "fr": {
        Part.THOUGHT: "Pensée|Réflexion",
        Part.ACTION_INPUT: "Entrée de l'action|Entrée de l’action|Entrée d'action|Entrée d’action|Entrée",
        Part.FINAL_ANSWER: "Réponse finale",
        Part.ANSWER: "Réponse",
    },
    "de": {
        Part.THOUGHT: "Gedanke",
        Part.ACTION: "Aktion",
        Part.ACTION_INPUT: "Aktionseingabe|Eingabe der Aktion|Eingabe",
        Part.OBSERVATION: "Beobachtung",
        Part.FINAL_ANSWER: "Endgültige Antwort|Finale Antwort",
        Part.ANSWER: "Antwort",
        Part.QUESTION: "Frage",
    },
    "vi": {
        Part.THOUGHT: "Suy nghĩ",
        Part.ACTION: "Hành động",
        Part.ACTION_INPUT: "Đầu vào hành động",
        Part.OBSERVATION: "Quan sát",
        Part.FINAL_ANSWER: "Câu trả lời cuối cùng|Trả lời cuối cùng",
        Part.QUESTION: "Câu hỏi",
    },
}
"""Label words by language and part. Case and what stands between words are free; traditional Chinese is in `zh`."""

IN_CONTEXT = frozenset(
    {"tool", "input", "response", "result", "obs", "arguments", "args", "parameters", "工具", "任务", "问题", "問題"}
    | {"输入", "参数", "輸入", "參數", "入力", "입력", "entrada", "entrée", "eingabe"},
)
"""Words of everyday prose: labels only where the text around them makes it likely (conflict C16)."""

TERMINAL = frozenset(
    {"finish", "finished", "finalanswer", "terminate", "submit", "end", "stop", "结束", "完成"},
)
"""Actions that end the run (R13), without case, spaces and underscores."""

NO_ACTION = frozenset({"none", "n/a", "null", "无", "無", "-", "无需", "无需行动", "不需要"})
"""What stands after `Action:` when the model means that there is none (R14)."""

_SEPARATORS = pattern(r"[\s_\d.)\\-]+")


def folded(label: str) -> str:
    """A label without case and numbers, its words separated by one space."""
    return _SEPARATORS.sub(" ", label).strip().lower()
