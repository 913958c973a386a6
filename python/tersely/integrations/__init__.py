"""Components for other frameworks, one file each; each needs its own extra.

`langchain` (TerselyCompressor, TerselyRedundantFilter), `langchain_agents` (TerselyMiddleware), `llama_index`
(TerselyPostprocessor), `llama_index_memory` (TerselyMemoryBlock), `haystack` (TerselyCompressor),
`haystack_chat` (TerselyCompactor), `openai_agents` (shorten_model_input), `pydantic_ai` (shorten_history),
`litellm` (TerselyHook), and without any other package `llmlingua` (PromptCompressor).
"""
