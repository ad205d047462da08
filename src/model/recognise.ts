// The same refusal in the words of many endpoints: too long a prompt, filtered content, a part of the request that is not known.
import type { Feature } from './dialect.ts';

const OVERFLOW: readonly RegExp[] = [
  /context_length_exceeded|exceed_context_size|string_above_max_length|tokens_limit_reached/i, // OpenAI, Azure, llama.cpp, GitHub Models
  /maximum (?:context|prompt|model) length/i, // OpenAI, vLLM, OpenRouter, Mistral, xAI
  /(?:exceed\w{0,20}|longer than|greater than|larger than|overflow\w{0,20})\b.{0,60}\b(?:context|maximum (?:model )?(?:length|number of tokens))/i, // Ollama, llama.cpp, LM Studio, Gemini
  /context (?:size|length|window)\b.{0,40}\bexceeded/i, // llama.cpp
  /context the overflows/i, // LM Studio, its own spelling
  /(?:prompt|input|request) (?:is |was )?too (?:long|large)/i, // Anthropic, Bedrock, Ollama, OpenAI's limit of tokens a minute
  /reduce the length of (?:the|your) (?:messages|prompt|input)/i, // OpenAI, Groq
  /`?inputs`? tokens \+ `?max_new_tokens`? must be/i, // text-generation-inference
];

const FILTERED = /content_filter|content management policy|ResponsibleAIPolicyViolation|content_policy_violation/i;

const NO_CREDIT =
  /insufficient_quota|insufficient (?:balance|credits?|funds)|billing_hard_limit|exceeded your current quota/i;

const NO_TOOLS: readonly RegExp[] = [
  /does ?n[o']t support (?:tools?|function)/i, // Ollama
  /no endpoints found that support tool use/i, // OpenRouter
  /--enable-auto-tool-choice|--tool-call-parser/i, // vLLM
  /tools param requires --jinja/i, // llama.cpp
  /\b(?:tools?|functions?|tool (?:use|calling)|function calling)\b['"`]?(?: param\w*| argument| field)?(?: (?:is|are))? (?:not supported|unsupported|not permitted|not allowed)/i,
  /(?:unrecogni[sz]ed|unknown|unexpected|unsupported)[^.]{0,60}[\s'"`:](?:tools|functions)\b/i,
];

const NAMED: readonly (readonly [Feature, RegExp])[] = [
  ['stream_options', /stream_options|include_usage/i],
  ['tool_choice', /tool_choice/i],
  ['response_format', /response_format|json_object/i],
];

export function isOverflow(text: string): boolean {
  return OVERFLOW.some((sign) => sign.test(text));
}

export function isFiltered(text: string): boolean {
  return FILTERED.test(text);
}

export function isOutOfCredit(text: string): boolean {
  return NO_CREDIT.test(text);
}

/** The part of the request, of those that it had, that the endpoint does not take; null: it complains of something else. */
export function unsupportedFeature(text: string, sent: ReadonlySet<Feature>): Feature | null {
  if (sent.has('tools') && NO_TOOLS.some((sign) => sign.test(text))) return 'tools';
  // For the others their name is enough: without them the request says the same.
  return NAMED.find(([feature, sign]) => sent.has(feature) && sign.test(text))?.[0] ?? null;
}
