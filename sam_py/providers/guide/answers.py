"""What the guide answers: a pure function of the conversation so far."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sam_py.messages.parts import FilePart, ImagePart, TextPart
from sam_py.messages.turn import Turn
from sam_py.providers.guide.demos import demo_for
from sam_py.providers.guide.handbook import Section, handbook
from sam_py.providers.guide.search import index
from sam_py.providers.guide.words import ENGLISH_ONLY, language_of

_COVERED = 0.5
"""Below this the handbook does not answer the question: too much of it is about something else."""
_FITS = 0.4
"""A section stands below its page's opening if it fits this much as well."""
_LOOKED_AT = 2000
"""Characters of a question that are read: what comes after is a pasted text."""
_GOING_ON = "Your last message was cut off."
"""How the request begins that the chat session sends for *Continue*."""

_NOT_WRITTEN = re.compile(r"\s*(?:<system-reminder|<file |\[(?:file|picture|image): [^\n]*\]\s*$)")

_GREETING = re.compile(
    r"^(?:hello|hi|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening|day)|hallo|guten (?:tag|morgen|abend)|"
    r"moin|servus|bonjour|bonsoir|salut|hola|buenos días|buenas|olá|oi|ciao|buongiorno|привет|здравствуйте|"
    r"你好|您好|こんにちは|안녕하세요|مرحبا|test|ping)(?:\s+(?:there|all|sam|guide|world|you))?$"
)
_THANKS = re.compile(
    r"^(?:thanks?|thank you|thx|cheers|danke|merci|gracias|obrigad[oa]|grazie|great|perfect|ok|okay)\b.{0,24}$"
)
_MORE = re.compile(
    r"^(?:(?:show |tell |give )?(?:me )?(?:some )?more(?: please)?|next(?: one)?|another(?: one)?|continue|go on|and|"
    r"what else|else|mehr|weiter|noch mehr|encore|suite|plus|más|siguiente|mais|próximo|ancora|altro)$"
)
_CONNECT = re.compile(
    r"^(?:how (?:do|can|to) ?(?:i|we|one)? ?)?(?:connect|get|add|use|install|set up|setup|start|try|have)"
    r"(?: to| with)?(?: an?| the| my| some| real| other| different| language| new)* (?:models?|llms?|ai)$"
)
_CONTENTS = re.compile(
    r"^(?:contents?|table of contents|pages?|index|all pages|topics?|help|hilfe|aide|ayuda|ajuda|aiuto|menu|"
    r"(?:show (?:me )?)?(?:the )?(?:handbook|manual)|what can (?:you|i) (?:do|ask)(?: you)?)$"
)

NO_MODEL = "I am the offline guide, not a language model: I look things up in this program's handbook."
CONNECT = (
    "To talk with a real model, connect one:\n\n"
    "1. **A server on this computer** (Ollama, LM Studio, llama.cpp, Jan, vLLM): start it, then choose it in "
    "the empty window or under *Settings*, *Providers*.\n"
    "2. **A provider with a key**: *Settings* (**Ctrl+,**), *Providers*, *Add a provider*.\n"
    "3. **Any other address** that speaks the OpenAI chat format: the same place, *Any compatible server*.\n"
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What is streamed: first the thinking, then the image, then the text."""

    text: str
    thinking: str = ""
    image: bytes = b""


def answer(turns: Sequence[Turn]) -> Answer:
    """The guide's answer to the last turn, in the light of those before."""
    questions = [_question(turn) for turn in turns if turn.role == "user"]
    if not questions:
        return Answer(_contents())
    question = questions[-1]
    if question.startswith(_GOING_ON) and len(questions) > 1:
        return _rest(turns)
    first = len(questions) == 1
    attached = _attached(turns)
    plain = _plain(question)
    if not plain:
        return Answer(f"{attached or 'Ask me something about this program.'}\n\n{_invitation()}")
    if _MORE.match(plain):
        return Answer(_more(questions[:-1]))
    if (shown := demo_for(question)) is not None:
        return Answer(shown.text, shown.thinking, shown.image)
    text = _in_words(question, plain, first)
    return Answer(f"{attached}\n\n{text}" if attached else text)


def _in_words(question: str, plain: str, first: bool) -> str:
    if _GREETING.match(plain):
        return _greeting(plain)
    if _THANKS.match(plain):
        return "You are welcome. Ask me anything else about the program."
    if _CONTENTS.match(plain):
        return _contents()
    if _CONNECT.match(plain):
        return (
            f"{CONNECT}\nAsk for *Ollama*, *LM Studio*, *llama.cpp* or *enter a key* to read each step.\n\n{NO_MODEL}"
        )
    language = language_of(question)
    found = _found(question)
    if not found:
        return _not_found(question, language)
    text = _quoted(found, 0)
    if language in ENGLISH_ONLY:
        text = f"{ENGLISH_ONLY[language]}\n\n{text}"
    return f"{text}\n\n---\n{NO_MODEL} Ask *connect a model* for how to get one." if first else text


def _found(question: str) -> list[tuple[Section, ...]]:
    """What to quote, best first. A page's opening comes with the section below it that fits best."""
    hits = [hit for hit in index().search(question) if hit.coverage >= _COVERED]
    found: list[tuple[Section, ...]] = []
    for hit in hits:
        section = hit.section
        if any(section in quoted for quoted in found):
            continue
        below: list[Section] = []
        if section.is_opening:
            fitting = [each for each in hits if each.section.page == section.page and each.score > hit.score * _FITS]
            below = [each.section for each in fitting if not each.section.is_opening][:1]
            below = [each for each in below if not any(each in quoted for quoted in found)]
        found.append((section, *below) if section.text or not below else tuple(below))
    return found


def _quoted(found: Sequence[tuple[Section, ...]], place: int) -> str:
    """The sections at `place` in full, the page they stand on, and what else there is."""
    sections = found[place]
    if not sections[0].text:  # only the title of a page fits: say what is on it
        lines = [f"- **{each.heading}**: {_first_sentence(each)}" for each in _page_of(sections[0])[1:]]
        body = f"### {sections[0].heading}\n\n" + "\n".join(lines)
    else:
        body = "\n\n".join(f"### {each.heading}\n\n{each.text}" for each in sections)
    page = "" if sections[0].is_opening else f"\n\n*Page “{sections[0].page}” of the handbook.*"
    return f"{body}{page}{_related(found, place)}"


def _related(found: Sequence[tuple[Section, ...]], place: int) -> str:
    shown = found[place]
    others = [each for sections in found[place + 1 : place + 4] for each in sections]
    others += [each for each in _page_of(shown[0]) if not each.is_opening]
    headings = list(dict.fromkeys(each.heading for each in others if each not in shown))[:3]
    if not headings:
        return ""
    asked = ", ".join(f"*{heading}*" for heading in headings)
    more = " Write *more* for the next hit." if place + 1 < len(found) else ""
    return f"\n\nYou can also ask: {asked}.{more}"


def _more(before: Sequence[str]) -> str:
    """The next hit for the question that the latest "more"s follow."""
    skipped = 1
    for question in reversed(before):
        plain = _plain(question)
        if _MORE.match(plain):
            skipped += 1
            continue
        found = _found(question)
        if _GREETING.match(plain) or _THANKS.match(plain) or not found:
            break
        if skipped < len(found):
            return _quoted(found, skipped)
        asked = question if len(question) <= 60 else question[:59] + "…"
        return f"That is all that the handbook has on “{asked}”. Write *contents* for all of its pages."
    return _contents()


def _rest(turns: Sequence[Turn]) -> Answer:
    """What is missing from an answer that was cut off: the last two turns are that answer and the wish to go on."""
    cut = max((number for number, turn in enumerate(turns) if turn.role == "assistant"), default=0)
    said = "".join(part.text for part in turns[cut].parts if isinstance(part, TextPart)).strip()
    whole = answer(turns[:cut]).text
    rest = whole[len(said) :] if whole.startswith(said) else ""
    return Answer(rest if rest.strip() else "That was all of it.")


def _not_found(question: str, language: str) -> str:
    nearest = index().search(question, limit=3)
    near = ", ".join(f"*{hit.section.heading}*" for hit in nearest)
    closest = f"The nearest that I found: {near}.\n\n" if near else ""
    english = (
        "The handbook is in English: put your question in English words to find more.\n\n" if language != "en" else ""
    )
    return f"I cannot answer that. {NO_MODEL} It has nothing that fits.\n\n{english}{closest}{CONNECT}\n{_invitation()}"


_HELLO = {
    "Hallo": ("hallo", "guten", "moin", "servus"),
    "Bonjour": ("bonjour", "bonsoir", "salut"),
    "Hola": ("hola", "buenos", "buenas"),
    "Olá": ("olá", "oi"),
    "Ciao": ("ciao", "buongiorno"),
}


def _greeting(plain: str) -> str:
    first = plain.split()[0]
    hello = next((hello for hello, words in _HELLO.items() if first in words), "Hello")
    return f"{hello}! {NO_MODEL}\n\n{CONNECT}\n{_invitation()}"


def _invitation() -> str:
    return (
        "Until then, ask me about the program, for example *add a key*, *keyboard shortcuts*, *where is my data* or "
        "*show me formatting*. Write *contents* for all pages."
    )


def _contents() -> str:
    lines = [f"{number}. **{page.title}**: {_topics(page.sections)}" for number, page in enumerate(handbook(), 1)]
    return (
        f"{NO_MODEL} These are its pages; ask in a few words for what you want to know.\n\n"
        + "\n".join(lines)
        + "\n\nWrite *show me formatting*, *table*, *code*, *maths*, *list*, *image*, *thinking* or *write 500 words* "
        "to see how replies look."
    )


def _topics(sections: Sequence[Section]) -> str:
    return ", ".join(section.heading for section in sections[1:4])


def _page_of(section: Section) -> tuple[Section, ...]:
    return next(page.sections for page in handbook() if page.title == section.page)


def _first_sentence(section: Section) -> str:
    line = section.text.replace("\n", " ")
    end = re.search(r"[.:]\s", line)
    return line[: end.start()] + "." if end else line


def _question(turn: Turn) -> str:
    """What the person wrote: the last text of the turn that is no reminder, no attached file and no note on one."""
    texts = [part.text for part in turn.parts if isinstance(part, TextPart)]
    own = [text for text in texts if not _NOT_WRITTEN.match(text)]
    return (own[-1] if own else "").strip()[:_LOOKED_AT]


def _attached(turns: Sequence[Turn]) -> str:
    last = next(turn for turn in reversed(turns) if turn.role == "user")
    if any(isinstance(part, ImagePart) for part in last.parts):
        return "I cannot see images: I am not a language model."
    texts = [part.text for part in last.parts if isinstance(part, TextPart)]
    if any(isinstance(part, FilePart) for part in last.parts) or any(text.startswith("<file ") for text in texts):
        return "I cannot read attached files: I am not a language model."
    return ""


def _plain(question: str) -> str:
    return " ".join(question.lower().split()).strip(" .,!?¿¡…:;。！？👋🙂")
