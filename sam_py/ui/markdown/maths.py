"""Formulas: readable text at once."""

from __future__ import annotations

import re

_SYMBOLS = {
    name: char
    for group in (
        "alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ iota ι kappa κ",
        "lambda λ mu μ nu ν xi ξ pi π rho ρ sigma σ tau τ upsilon υ phi φ varphi φ chi χ psi ψ omega ω",
        "Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Phi Φ Psi Ψ Omega Ω times × cdot · div ÷ pm ±",
        "mp ∓ le ≤ leq ≤ ge ≥ geq ≥ ne ≠ neq ≠ approx ≈ equiv ≡ sim ∼ infty ∞ to → rightarrow →",
        "leftarrow ← Rightarrow ⇒ Leftarrow ⇐ iff ⇔ implies ⇒ mapsto ↦ in ∈ notin ∉ subset ⊂ subseteq ⊆",
        "cup ∪ cap ∩ emptyset ∅ forall ∀ exists ∃ neg ¬ land ∧ lor ∨ sum ∑ prod ∏ int ∫ partial ∂ nabla ∇",
        "sqrt √ ldots … cdots ⋯ dots … ell ℓ hbar ℏ circ ∘ degree ° prime ′ angle ∠ perp ⊥ parallel ∥",
        "mid ∣ langle ⟨ rangle ⟩ ll ≪ gg ≫ propto ∝ star ⋆",
    )
    for name, char in zip(group.split()[::2], group.split()[1::2], strict=True)
}
_COMMAND = re.compile(r"\\([A-Za-z]+|[,;:! {}%$&#_|])")
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_WRAPPED = re.compile(
    r"\\(?:text|mathrm|mathbf|mathit|mathsf|mathcal|operatorname|boldsymbol|bar|vec|hat)\s*\{([^{}]*)\}"
)
_SCRIPT = re.compile(r"([\^_])(?:\{([^{}]*)\}|(\S))")
_SUPER = str.maketrans("0123456789+-=()niabcdefghjklmoprstuvwxyz", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻ")
_SUB = str.maketrans("0123456789+-=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")


def readable_maths(latex: str) -> str:
    """Return `latex` as a line of text that reads like mathematics.

    >>> readable_maths(r"e^{i\\pi} + x_1^2 \\le \\frac{a}{b}")
    'e^(iπ) + x₁² ≤ a/b'
    """
    text = latex.strip()
    for _ in range(3):
        text = _WRAPPED.sub(r"\1", text)
        text = _FRACTION.sub(lambda m: f"{_group(m[1])}/{_group(m[2])}", text)
    text = re.sub(r"\\(?:left|right|big|Big|displaystyle|limits|mathbb)\b", "", text)
    text = _COMMAND.sub(lambda m: _SYMBOLS.get(m[1], _plain(m[1])), text)
    text = _SCRIPT.sub(_script, text)
    return text.replace("{", "").replace("}", "")


def _plain(command: str) -> str:
    if command in ",;: ":
        return " "
    return command if command.isalpha() or command in "%$&#_|" else "" if command == "!" else command


def _group(text: str) -> str:
    return text if re.fullmatch(r"\w+|\\\w+", text.strip()) else f"({text})"


def _script(match: re.Match[str]) -> str:
    text = match[2] if match[2] is not None else match[3]
    table = _SUPER if match[1] == "^" else _SUB
    if all(ord(char) in table for char in text):
        return text.translate(table)
    return f"{match[1]}{text}" if len(text) == 1 else f"{match[1]}({text})"
