"""The sentences of a prompt, by language: what the model is told of its task, and what it is told on the way.

Labels stay the same in every language, since models and parsers know those best; only what explains them is translated.
"""

from __future__ import annotations

from reactcli.registry import Registry
from reactcli.values import Value


class Words(Value):
    language: str
    # -- the template
    task: str
    tools: str
    form: str
    rules: str
    choosing: str
    """The rules, one a line; `{tool_names}` and `{max_steps}` are slots of the template."""
    question: str
    # -- the lines of the format
    thought: str
    tool: str
    tool_input: str
    plain_input: str
    observation: str
    again: str
    enough: str
    answer: str
    # -- a tool's description
    required: str
    optional: str
    default: str
    returns: str
    limit: str
    example: str
    no_tools: str
    # -- on the way
    last_step: str
    at_limit: str
    loop: str
    short: str
    """Time or tokens are nearly used up."""
    reflect: str
    digest: str
    go_on: str


_ENGLISH = Words(
    language="en",
    task="Answer the question at the end. You can use tools.",
    tools="Tools:",
    form="Write exactly in this format, each label at the start of a line:",
    rules="Rules:",
    choosing="- Write a thought before every action, and only one action in a reply. Stop behind its input: the "
    "observation is written for you. Never write an observation yourself.\n"
    "- Choose the tool whose description fits what is missing. There are: {tool_names}. No others can be called.\n"
    "- Give a tool all its required parameters, with the names and types that are listed.\n"
    "- If an observation is an error, think about why, and change the input or the tool. Do not repeat a call that "
    "gave the same result.\n"
    "- As soon as you know enough, give the final answer. You have at most {max_steps} steps.",
    question="Question:",
    thought="what is known, what is missing, and what to do next",
    tool="the name of one tool",
    tool_input="its parameters as a JSON object",
    plain_input="its input",
    observation="the result of the action",
    again="(thought, action and observation can repeat)",
    enough="I know enough to answer",
    answer="the complete answer to the question",
    required="required",
    optional="optional",
    default="{value} unless given",
    returns="Returns: {text}",
    limit="Limit: {seconds:g} s",
    example="Example:",
    no_tools="(there are none: answer from what you know)",
    last_step="Note: only one step is left. Give the final answer now.",
    at_limit="Note: there are no steps left. Give the best final answer that the observations allow, and no action.",
    loop="Note: {what}. The same steps will give the same results: try something else, or give the final answer.",
    short="Note: the {what} for this run is nearly used up. Give the final answer soon.",
    reflect="Before you go on, write a line that begins with `Reflection:`. Was the result what you expected? If not, "
    "why, and what will you do differently? Then go on with the next thought.",
    digest="[Steps 1 to {last}, shortened]",
    go_on="Go on.",
)

_CHINESE = Words(
    language="zh",
    task="请回答最后的问题。你可以使用工具。",
    tools="可用工具:",
    form="请严格按照以下格式书写，每个标签都写在行首:",
    rules="规则:",
    choosing="- 每次行动之前先写思考，每次回复只写一个行动。写完行动输入就停下，观察结果由系统填写，绝不要自己编写。\n"
    "- 根据工具的描述选择最合适的工具。只能使用: {tool_names}。\n"
    "- 必须给出工具的所有必填参数，参数名和类型要与说明一致。\n"
    "- 如果观察结果是错误，请分析原因，修改输入或换一个工具。不要重复已经得到同样结果的调用。\n"
    "- 信息足够时立即给出最终答案。最多 {max_steps} 步。",
    question="Question:",
    thought="已知什么，还缺什么，下一步做什么",
    tool="一个工具的名称",
    tool_input="JSON 对象形式的参数",
    plain_input="输入",
    observation="行动的结果",
    again="（思考、行动、观察可以重复多次）",
    enough="信息已经足够",
    answer="对问题的完整回答",
    required="必填",
    optional="可选",
    default="默认 {value}",
    returns="返回: {text}",
    limit="限制: {seconds:g} 秒",
    example="示例:",
    no_tools="（没有工具，请根据已知信息回答）",
    last_step="提示: 只剩最后一步，请现在给出最终答案。",
    at_limit="提示: 步数已用完。请根据已有的观察结果给出尽可能好的最终答案，不要再行动。",
    loop="提示: {what}。同样的步骤只会得到同样的结果，请换一种方法，或给出最终答案。",
    short="提示: 本次运行的 {what} 即将用完，请尽快给出最终答案。",
    reflect="继续之前，先写一行以 `Reflection:` 开头的话: 上一步错在哪里，打算怎样改。然后再写下一个思考。",
    digest="[第 1 至 {last} 步的摘要]",
    go_on="请继续。",
)

_RUSSIAN = Words(
    language="ru",
    task="Ответь на вопрос в конце. Можно пользоваться инструментами.",
    tools="Инструменты:",
    form="Пиши строго в этом формате, каждая метка — в начале строки:",
    rules="Правила:",
    choosing="- Перед каждым действием пиши мысль; в одном ответе — только одно действие. После входных данных "
    "остановись: наблюдение впишет система. Никогда не придумывай наблюдение.\n"
    "- Выбирай инструмент по его описанию. Доступны только: {tool_names}.\n"
    "- Передавай все обязательные параметры, с указанными именами и типами.\n"
    "- Если наблюдение — ошибка, разберись в причине и измени ввод или инструмент. Не повторяй вызов, "
    "который уже дал тот же результат.\n"
    "- Как только сведений достаточно, дай окончательный ответ. Шагов не больше {max_steps}.",
    question="Question:",
    thought="что известно, чего не хватает и что делать дальше",
    tool="имя одного инструмента",
    tool_input="параметры в виде объекта JSON",
    plain_input="входные данные",
    observation="результат действия",
    again="(мысль, действие и наблюдение могут повторяться)",
    enough="сведений достаточно",
    answer="полный ответ на вопрос",
    required="обязательно",
    optional="необязательно",
    default="по умолчанию {value}",
    returns="Возвращает: {text}",
    limit="Ограничение: {seconds:g} с",
    example="Пример:",
    no_tools="(инструментов нет: отвечай по тому, что знаешь)",
    last_step="Примечание: остался один шаг. Дай окончательный ответ сейчас.",
    at_limit="Примечание: шагов больше нет. Дай лучший ответ, какой позволяют наблюдения, без действий.",
    loop="Примечание: {what}. Те же шаги дадут тот же результат: попробуй иначе или дай окончательный ответ.",
    short="Примечание: {what} для этого запуска почти исчерпан. Скорее дай окончательный ответ.",
    reflect="Прежде чем продолжить, напиши строку, которая начинается с `Reflection:`. Оправдал ли результат ожидания? "
    "Если нет, то почему и что изменить? Затем продолжай следующей мыслью.",
    digest="[Шаги с 1 по {last}, кратко]",
    go_on="Продолжай.",
)

_VIETNAMESE = Words(
    language="vi",
    task="Hãy trả lời câu hỏi ở cuối. Bạn có thể dùng công cụ.",
    tools="Công cụ:",
    form="Hãy viết đúng theo định dạng sau, mỗi nhãn ở đầu dòng:",
    rules="Quy tắc:",
    choosing="- Viết suy nghĩ trước mỗi hành động, và mỗi lần trả lời chỉ một hành động. Dừng lại sau đầu vào: kết quả "
    "quan sát sẽ được điền cho bạn. Không bao giờ tự viết kết quả quan sát.\n"
    "- Chọn công cụ theo mô tả của nó. Chỉ có: {tool_names}.\n"
    "- Cung cấp mọi tham số bắt buộc, đúng tên và đúng kiểu.\n"
    "- Nếu kết quả là lỗi, hãy tìm nguyên nhân rồi đổi đầu vào hoặc công cụ. Đừng lặp lại lời gọi cho cùng kết quả.\n"
    "- Khi đã đủ thông tin, hãy đưa ra câu trả lời cuối cùng. Tối đa {max_steps} bước.",
    question="Question:",
    thought="đã biết gì, còn thiếu gì, bước tiếp theo là gì",
    tool="tên của một công cụ",
    tool_input="các tham số dưới dạng đối tượng JSON",
    plain_input="đầu vào",
    observation="kết quả của hành động",
    again="(suy nghĩ, hành động và quan sát có thể lặp lại)",
    enough="tôi đã có đủ thông tin",
    answer="câu trả lời đầy đủ cho câu hỏi",
    required="bắt buộc",
    optional="tùy chọn",
    default="mặc định {value}",
    returns="Trả về: {text}",
    limit="Giới hạn: {seconds:g} giây",
    example="Ví dụ:",
    no_tools="(không có công cụ: hãy trả lời theo những gì bạn biết)",
    last_step="Lưu ý: chỉ còn một bước. Hãy đưa ra câu trả lời cuối cùng ngay.",
    at_limit="Lưu ý: đã hết số bước. Hãy đưa ra câu trả lời tốt nhất theo các quan sát, không hành động nữa.",
    loop="Lưu ý: {what}. Lặp lại sẽ cho cùng kết quả: hãy thử cách khác, hoặc đưa ra câu trả lời cuối cùng.",
    short="Lưu ý: {what} của lần chạy này sắp hết. Hãy sớm đưa ra câu trả lời cuối cùng.",
    reflect="Trước khi tiếp tục, hãy viết một dòng bắt đầu bằng `Reflection:`. Kết quả có như mong đợi không? "
    "Nếu không, vì sao, và bạn sẽ thay đổi điều gì? Sau đó viết suy nghĩ tiếp theo.",
    digest="[Các bước 1 đến {last}, rút gọn]",
    go_on="Hãy tiếp tục.",
)

LANGUAGES = Registry(
    "prompt language",
    (
        ("en", _ENGLISH, ("english",)),
        ("zh", _CHINESE, ("chinese",)),
        ("ru", _RUSSIAN, ("russian",)),
        ("vi", _VIETNAMESE, ("vietnamese",)),
    ),
)
