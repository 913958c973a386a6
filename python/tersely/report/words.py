"""Write reason codes as sentences, and escape text for a page."""

from __future__ import annotations

import html

from tersely.core.text import well_formed

__all__ = [
    "DROPPED",
    "GENERATED",
    "KEPT",
    "OUTCOMES",
    "escape",
    "fallback_in_words",
    "in_words",
    "name",
]

KEPT = {
    "selected": "worth most for its tokens",
    "pinned": "pinned: you asked for it",
    "preserved": "it holds facts that were to be preserved",
    "context": "stands beside something selected",
    "heading": "heading above something kept",
    "cut": "kept up to where it was cut",
    "fits": "everything fits",
    "copied": "code that a model copied",
    "reinserted": "put back after a model lost it",
    "excerpt": "quoted among the excerpts of earlier messages",
    "newest": "among the newest",
    "system": "a system message",
    "task": "the first of the user",
    "picture": "it holds a picture",
    "cache_marker": "a prompt cache ends here",
    "with_held": "it belongs to what has to stay",
    "budget": "there was room for it",
}
DROPPED = {
    "budget": "no tokens left for it",
    "redundant": "kept text says it already",
    "cut": "the rest of what was cut",
    "rewritten": "a model wrote something in its place",
    "markup": "tags, scripts, comments: no text",
    "unlisted": "the result does not say",
    "irrelevant": "too little to do with the query",
    "duplicate": "another document has it word for word",
    "empty": "there is nothing in it",
    "summarized": "the summary stands for it",
    "repeated": "a newer message has it",
    "stated_elsewhere": "each of its lines stands elsewhere",
    "newest": "shortened, though among the newest",
}
OUTCOMES = {
    "kept": "stands in the compressed text",
    "reinserted": "put back, verbatim, after a model lost it",
    "lost": "does not stand in the compressed text",
    "unsupported": "a model wrote it, and no source has it",
}
GENERATED = {
    True: "written by a model",
    False: "says that something was left out",
}  # by whether a model wrote any of it
_WARNINGS = {
    "query_without_matches": "No word of the query stands in the text: it was compressed as without one.",
    "empty_query": "The query was blank, so the text was compressed as without one.",
    "segment_cut": "Not one whole segment fitted into the budget, so the best one was cut.",
    "counter_not_additive": "The token counts of the parts are more than 10% off the count of the whole.",
    "nothing_to_keep": "There is nothing but white space in the text.",
    "markers_left_out": "There was no room to say in the text where something was left out.",
    "markers_shortened": "There was no room to say in each place how much was left out.",
    "no_unit_fits": "Not one whole unit fitted into the budget: it was compressed as text.",
    "json_invalid": "It is not valid JSON, so it was compressed as text.",
    "json_too_deep": "The JSON nests too deeply, so it was compressed as text.",
    "yaml_invalid": "It is not YAML that can be shortened as data, so it was compressed as text.",
    "yaml_too_deep": "The YAML nests too deeply, so it was compressed as text.",
    "xml_invalid": "It is not XML that can be shortened as data, so it was compressed as text.",
    "xml_too_deep": "The XML nests too deeply, so it was compressed as text.",
    "characters_replaced": "Some of it was no UTF-8: read in another encoding, or replaced by U+FFFD.",
    "no_gain": "The steps were so short that their summary is not shorter.",
    "facts_lost": "Not all the facts that were to be preserved stand in the compressed text.",
    "unsupported_facts": "A model wrote facts that no source has.",
    "code_restored": "A model changed code; the original stands in its place.",
    "low_confidence": "The confidence is below the least that was asked for.",
    "target_tokens_below_min": "The target is below the least number of tokens that was asked for.",
    "content_types_not_used": "A group spans documents of several types, so all were compressed as text.",
    "markup_kept": "Tags stand in the text: they were asked for, or there was nothing else.",
    "documents_dropped": "Nothing of some documents fitted into the budget.",
    "chunks_dropped": "Nothing of some chunks fitted into the budget.",
    "model_not_used": "A model should have written it, but did not.",
    "chunk_fell_back": "Some chunk was compressed in a simpler way than asked for.",
    "embedder_failed": "The embedding model failed; relevance was scored without it.",
    "nothing_relevant": "No document has enough to do with the query.",
    "relevance_doubtful": "No document surely has to do with the query; the most probable one stays.",
    "reserve_shrunk": "The budget has no room for the whole reserve for the response, so it is smaller.",
    "strategy_failed": "What was to shorten a result failed, so the message was folded.",
    "facts_left_out": "Facts were left out that nothing states any more; the accounts list them.",
    "errors_left_out": "Words of tools that tell of a failure were left out.",
    "unknown_shape": "Some message holds what is not known; it counts, and may be folded.",
    "reranker_failed": "The reranking model failed; relevance was scored without it.",
}
_FALLBACKS = {
    "no_model": "there is none",
    "model_failed": "it failed",
    "empty_reply": "its reply was empty",
    "reply_too_long": "its reply was too long",
    "low_confidence": "its reply was not to be trusted",
    "facts_lost": "its reply had lost facts",
    "no_room": "what is pinned takes the whole budget",
    "prompt_too_long": "the prompt was too long for it",
}
# What a terminal would obey is shown as its picture; tabs and line ends stay.
_PICTURES = {code: 0x2400 + code for code in range(32) if code not in (9, 10, 13)} | {127: 0x2421}


def escape(text: str) -> str:
    """Escape a text for HTML; control characters become their pictures."""
    return html.escape(text).translate(_PICTURES)


def name(text: str) -> str:
    """Escape a name of the caller's, which may lack a UTF-8 form, as file names do."""
    return escape(well_formed(text))


def in_words(code: str) -> str:
    """Return a sentence for a warning."""
    return _WARNINGS.get(code) or f"{code.replace('_', ' ').capitalize()}."


def fallback_in_words(code: str) -> str:
    """Return a sentence for the reason why no model wrote what one should have written."""
    return f"No model wrote any of the text: {_FALLBACKS.get(code) or code.replace('_', ' ')}."
