// What one attempt at an answer can come to besides an answer: what it means, who can repair it, and what to do next.

import type { Dialect, Endpoint, Feature, Wire } from './endpoint.ts';
import { isObject } from './json.ts';
import type { TurnUsage } from './model.ts';

export type EndpointFault =
  /** The endpoint cannot answer now; `waitMs`: how long it wants us to wait. `isLimit`: that holds for all requests. */
  | { readonly kind: 'unavailable'; readonly detail: string; readonly waitMs: number | null; readonly isLimit: boolean }
  /** The answer is of no use; asking again may help so many times. */
  | { readonly kind: 'misbehaved'; readonly detail: string; readonly retries: number }
  | { readonly kind: 'rejected' | 'overflow' | 'refused'; readonly detail: string }
  /** It does not accept the key; a short-lived one may just have expired, which Amazon says with 403. */
  | { readonly kind: 'key'; readonly detail: string }
  /** The endpoint takes the request in another form. `learn` changes the dialect. */
  | { readonly kind: 'dialect'; readonly learn: (dialect: Dialect) => void; readonly detail: string }
  /** The opaque parts of this conversation are not taken back; without them it can go on. */
  | { readonly kind: 'opaque'; readonly detail: string }
  /** The endpoint says that this model needs another interface. */
  | { readonly kind: 'interface'; readonly wire: Wire; readonly detail: string };

/** Ends one attempt. `detail` is a sentence for a person, with the repair and without the key. */
export class AttemptFailed extends Error {
  override readonly name = 'AttemptFailed';
  readonly fault: EndpointFault;
  /** What the attempt cost all the same; null where the endpoint had not begun to answer. */
  spent: TurnUsage | null = null;

  constructor(fault: EndpointFault) {
    super(fault.detail);
    this.fault = fault;
  }
}

/** An answer that cannot be used; most models do better at the second or third try. */
export function createMisbehaved(detail: string, retries = 2): AttemptFailed {
  return new AttemptFailed({ kind: 'misbehaved', detail, retries });
}

export function createUnavailable(detail: string): AttemptFailed {
  return new AttemptFailed({ kind: 'unavailable', detail, waitMs: null, isLimit: false });
}

export function createRefused(detail: string): AttemptFailed {
  return new AttemptFailed({ kind: 'refused', detail });
}

function createRejected(detail: string): AttemptFailed {
  return new AttemptFailed({ kind: 'rejected', detail });
}

export interface AskedEndpoint {
  readonly endpoint: Endpoint;
  /** What must not be repeated: the key, and the values of extra headers. */
  readonly secrets: readonly string[];
  /** Parts of the request that could be left out. */
  readonly sent: ReadonlySet<Feature>;
  readonly dialect: Dialect;
  readonly now: Date;
}

/**
 * What an error of a client library means. Nothing of the error itself is passed on, since it may hold the key. The
 * classes are told apart by their fields: `openai` and `@anthropic-ai/sdk` share them, and only one of them is loaded.
 * Throws what is not a fault of the endpoint but a mistake in this program.
 */
export function readFailure(error: unknown, asked: AskedEndpoint): AttemptFailed {
  if (error instanceof AttemptFailed) return error;
  if (error instanceof SyntaxError)
    return createMisbehaved('A part of its answer was invalid JSON: choose another MODEL.');
  if (!(error instanceof Error)) return createLostConnection(error, asked);
  if (isMistake(error)) throw error;
  const { status, headers, error: body } = error as Error & Readonly<Record<string, unknown>>;
  if (status === undefined && [error, error.cause].some(isAboutCredentials)) {
    return createRejected(`There are no usable credentials for it: check ${asked.endpoint.variables.key}.`);
  }
  if (typeof status !== 'number' && body === undefined) return createLostConnection(error.cause ?? error, asked);
  return readRefusal(
    {
      status: typeof status === 'number' ? status : readStreamStatus(body),
      text: readBodyText(body ?? error.message),
      headers: headers instanceof Headers ? headers : null,
    },
    asked,
  );
}

/**
 * What the language itself throws at a line that is wrong. What `fetch`, streams and sockets throw has a code, or a
 * cause that says what happened.
 */
function isMistake(error: Error): boolean {
  const isOfTheLanguage = [TypeError, RangeError, ReferenceError].some((kind) => error instanceof kind);
  return isOfTheLanguage && error.cause === undefined && !('code' in error);
}

/** What the clouds' own SDKs say before they send anything. */
function isAboutCredentials(error: unknown): boolean {
  return error instanceof Error && /credential/i.test(`${error.name} ${error.message.slice(0, 200)}`);
}

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)/;

function createLostConnection(cause: unknown, { endpoint }: AskedEndpoint): AttemptFailed {
  const given = cause instanceof Error && 'code' in cause ? cause.code : null;
  const code = typeof given === 'string' ? given : 'no answer';
  const { url } = endpoint.variables;
  if (CERTIFICATE.test(code)) {
    const repair = `check ${url}, or name the authority in NODE_EXTRA_CA_CERTS`;
    return createRejected(`Its certificate is not trusted (${code}): ${repair}.`);
  }
  return createUnavailable(`The connection failed or was lost (${code}): check ${url} if it stays so.`);
}

export interface EndpointRefusal {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers | null;
}

/** Statuses that pass by themselves: time-outs, conflicts of the moment, rate limits; and every 5xx. */
const TRANSIENT = new Set([408, 409, 425, 429]);

/** What a refusal means: by its words first, since endpoints do not agree on statuses. */
export function readRefusal(refusal: EndpointRefusal, asked: AskedEndpoint): AttemptFailed {
  const { status, text, headers } = refusal;
  if (status >= 300 && status < 400) return createRedirected(headers, asked);
  if (status === 401 || status === 403) return createKeyRefused(status, asked);
  const said = quoteProviderText(text, asked.secrets);
  const fault = readFailureWords(text, said, asked);
  return fault === null ? readStatus(refusal, said, asked) : new AttemptFailed(fault);
}

function readFailureWords(text: string, said: string, asked: AskedEndpoint): EndpointFault | null {
  if (isOneOf(OVERFLOW, text)) {
    return { kind: 'overflow', detail: `The messages do not fit into the model's context.${said}` };
  }
  if (FILTERED.test(text)) {
    return { kind: 'refused', detail: `Its content filter rejected the request: choose another MODEL.${said}` };
  }
  if (NO_CREDIT.test(text)) return createOutOfCredit(said, asked);
  return findOtherInterface(text, said, asked) ?? findOtherDialect(text, said, asked);
}

function readStatus(
  { status, headers }: EndpointRefusal,
  said: string,
  { endpoint, now }: AskedEndpoint,
): AttemptFailed {
  const { model, variables } = endpoint;
  if (TRANSIENT.has(status) || status >= 500) {
    const waitMs = headers === null ? null : readProviderRetryAfter(headers, now);
    const what = status === 429 ? 'It limits the rate of requests' : 'It failed on its own account';
    const isLimit = status === 429 || waitMs !== null;
    return new AttemptFailed({ kind: 'unavailable', detail: `${what} (${status}).${said}`, waitMs, isLimit });
  }
  switch (status) {
    case 402:
      return createRejected(createOutOfCredit(said, { endpoint }).detail);
    case 404:
      return createRejected(
        `It knows no such address or model (404): check ${variables.url} and MODEL (${model}).${said}`,
      );
    case 413:
      return new AttemptFailed({ kind: 'overflow', detail: `The request is too large for it (413).${said}` });
    default:
      return createRejected(`It rejected the request (${status}): check MODEL (${model}) and ${variables.url}.${said}`);
  }
}

/** Its own words are not quoted: they tend to hold parts of the key. */
function createKeyRefused(status: 401 | 403, { endpoint }: AskedEndpoint): AttemptFailed {
  const { key, url } = endpoint.variables;
  const detail =
    status === 401
      ? `It does not accept the key (401): check ${key}, and that it belongs to ${url}.`
      : `It does not let this key use the model (403): check ${key} and MODEL (${endpoint.model}).`;
  return new AttemptFailed({ kind: 'key', detail });
}

function createOutOfCredit(said: string, { endpoint }: Pick<AskedEndpoint, 'endpoint'>): EndpointFault {
  const detail = `The account of ${endpoint.variables.key} has no credit left: top it up or change the key.${said}`;
  return { kind: 'rejected', detail };
}

/** A redirect would carry key and source text to an address that the operator did not name. */
function createRedirected(headers: Headers | null, { endpoint }: AskedEndpoint): AttemptFailed {
  const target = URL.parse(headers?.get('location') ?? '', 'http://same-host.invalid')?.host ?? 'same-host.invalid';
  const where = target === 'same-host.invalid' ? 'another path' : target;
  const { url } = endpoint.variables;
  return createRejected(`It redirects to ${where}, which is not followed: set ${url} to the final address.`);
}

/**
 * An error in the middle of a stream has no status; some put one into `code`. Else it is taken for the endpoint's own
 * failure.
 */
function readStreamStatus(body: unknown): number {
  const code = isObject(body) ? Number(body['code']) : Number.NaN;
  return code >= 400 && code < 600 ? code : 500;
}

const OVERFLOW: readonly RegExp[] = [
  /context_length_exceeded|exceed_context_size|string_above_max_length|tokens_limit_reached/i, // OpenAI, Azure, llama.cpp, GitHub Models
  /maximum (?:context|prompt|model) length/i, // OpenAI, vLLM, OpenRouter, Mistral, xAI
  /(?:exceed\w{0,20}|longer than|greater than|larger than|overflow\w{0,20})\b.{0,60}\b(?:context|maximum (?:model )?(?:length|number of tokens))/i, // Anthropic, Ollama, llama.cpp, LM Studio, Gemini
  /context (?:size|length|window)\b.{0,40}\bexceeded/i, // llama.cpp
  /context the overflows/i, // LM Studio, its own spelling
  /(?:prompt|input|request) (?:is |was )?too (?:long|large)/i, // Anthropic, Bedrock, Ollama, OpenAI's limit of tokens a minute
  /reduce the length of (?:the|your) (?:messages|prompt|input)/i, // OpenAI, Groq
  /`?inputs`? tokens \+ `?max_new_tokens`? must be/i, // text-generation-inference
];

const FILTERED = /content_filter|content management policy|ResponsibleAIPolicyViolation|content_policy_violation/i;

const NO_CREDIT =
  /insufficient_quota|insufficient (?:balance|credits?|funds)|billing_hard_limit|exceeded your current quota|credit balance is too low/i;

const NO_TOOLS: readonly RegExp[] = [
  /does ?n[o']t support (?:tools?|function)/i, // Ollama
  /no endpoints found that support tool use/i, // OpenRouter
  /--enable-auto-tool-choice|--tool-call-parser/i, // vLLM
  /tools param requires --jinja/i, // llama.cpp
  /\b(?:tools?|functions?|tool (?:use|calling)|function calling)\b['"`]?(?: param\w*| argument| field)?(?: (?:is|are))? (?:not supported|unsupported|not permitted|not allowed)/i,
  /(?:unrecogni[sz]ed|unknown|unexpected|unsupported)[^.]{0,60}[\s'"`:](?:tools|functions)\b/i,
];

/** OpenAI of GPT-5.4 and later with tools, of `-codex` and `-pro`; Azure repeats its words. */
const WANTS_RESPONSES: readonly RegExp[] = [
  /\buse \/?v1\/responses|\/v1\/responses instead|only supported in \/?v1\/responses/i,
  /not supported in the \/?v1\/chat\/completions endpoint|use the responses api|only (?:supported|available) (?:in|through|via|with) the responses api/i,
  /the chatcompletion operation does not work with the specified model/i, // Azure
];
const WANTS_CHAT: readonly RegExp[] = [
  /only supported in \/?v1\/chat\/completions|\/v1\/chat\/completions instead/i,
  /not (?:supported|available) (?:with|in|by|via|through) the responses api|does not support the responses api/i,
];

function findOtherInterface(text: string, said: string, { endpoint }: AskedEndpoint): EndpointFault | null {
  const wire = findWantedWire(endpoint.wire, text);
  if (wire === null) return null;
  if (endpoint.isAuto) return { kind: 'interface', wire, detail: `It wants another interface, ${wire}.${said}` };
  const repair = `set MODEL_API to ${wire} or to auto`;
  return {
    kind: 'rejected',
    detail: `It does not offer this model over MODEL_API=${endpoint.wire}: ${repair}.${said}`,
  };
}

function findWantedWire(wire: Wire, text: string): Wire | null {
  if (wire === 'chat') return isOneOf(WANTS_RESPONSES, text) ? 'responses' : null;
  return wire === 'responses' && isOneOf(WANTS_CHAT, text) ? 'chat' : null;
}

const OPAQUE_PARTS =
  /reasoning_content|reasoning_details|extra_content|thinking_blocks|provider_specific_fields|'reasoning'|"reasoning"/i;
const UNFIT: readonly RegExp[] = [
  /invalid `?signature`? in `?thinking|`thinking` or `redacted_thinking` blocks/i, // Anthropic
  /invalid_encrypted_content|encrypted content[^.]{0,60}could not be (?:verified|decrypted)/i, // OpenAI
  /without its required (?:following item|'reasoning' item)|items are not persisted/i, // OpenAI
  /(?:corrupted|invalid) thought.?signature|thought.?signature is not valid/i, // Gemini, directly and behind gateways
];
const NOT_TAKEN =
  /not supported|unsupported|unrecogni[sz]ed|unknown|unexpected|extra inputs|extra_forbidden|not permitted|not allowed|cannot find field/i;

/** For these their name is enough: without them the request says the same. */
const NAMED: readonly (readonly [Feature, RegExp])[] = [
  ['stream_options', /stream_options|include_usage/i],
  ['tool_choice', /tool_choice/i],
  ['response_format', /response_format|json_object/i],
  ['parallel_tool_calls', /parallel_tool_calls/i],
  ['prompt_cache_key', /prompt_cache_key/i],
  ['effort', /reasoning[._ ]?effort|output_config|\beffort\b/i],
  ['thinking', /adaptive|thinking\.type|['"`]thinking['"`]/i],
  ['encrypted_reasoning', /encrypted[._ ]content|['"`]include['"`]/i],
  ['cache_control', /cache_control/i],
];

function findOtherDialect(text: string, said: string, { sent, dialect }: AskedEndpoint): EndpointFault | null {
  const learned = (detail: string, learn: (known: Dialect) => void): EndpointFault => ({
    kind: 'dialect',
    detail: `${detail}${said}`,
    learn,
  });
  // Turns of another model have none: DeepSeek and Kimi take an empty one, Google documents a text that is let pass.
  if (/reasoning_content/i.test(text) && /passed back|missing/i.test(text) && !dialect.fills.has('reasoning_content')) {
    return learned('It wants reasoning_content with every turn.', ({ fills }) => fills.add('reasoning_content'));
  }
  if (/thought_?signature/i.test(text) && /missing/i.test(text) && !dialect.fills.has('thought_signature')) {
    return learned('It wants a thought signature with every turn.', ({ fills }) => fills.add('thought_signature'));
  }
  // Anthropic: `max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for …`.
  const most = Number(/max_tokens: \d+ > (\d+)/.exec(text)?.[1]);
  if (most > 0 && most < dialect.maxTokens) {
    return learned(`It writes no more than ${most} tokens.`, (known) => {
      known.maxTokens = most;
    });
  }
  if (sent.has('opaque') && isOneOf(UNFIT, text)) {
    return dialect.dropsUnfit || !text.includes('prefix_mismatch_behavior')
      ? { kind: 'opaque', detail: `It does not take its own earlier thoughts back.${said}` }
      : learned('Something before its earlier thoughts has changed.', (known) => {
          known.dropsUnfit = true;
        });
  }
  const feature = findUnsupportedFeature(text, sent);
  return feature === null ? null : learned(`It does not take ${feature}.`, (known) => omitFeature(known, feature));
}

/** The part of the request that the endpoint does not accept; null: it complains of something else. */
function findUnsupportedFeature(text: string, sent: ReadonlySet<Feature>): Feature | null {
  if (sent.has('tools') && isOneOf(NO_TOOLS, text)) return 'tools';
  if (sent.has('opaque') && OPAQUE_PARTS.test(text) && NOT_TAKEN.test(text)) return 'opaque';
  return NAMED.find(([feature, sign]) => sent.has(feature) && sign.test(text))?.[0] ?? null;
}

/** From now on without `feature`. */
export function omitFeature(dialect: Dialect, feature: Feature): void {
  if (feature === 'tools') dialect.tools = 'json';
  else dialect.leftOut.add(feature);
}

function isOneOf(signs: readonly RegExp[], text: string): boolean {
  return signs.some((sign) => sign.test(text));
}

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
/** More than that is a mistake, or an outage that must be looked at again. */
const LONGEST_RETRY_AFTER_MS = 24 * 60 * 60 * 1_000;

/**
 * Milliseconds from `Retry-After` (seconds, also with a fraction, or a date of RFC 9110) or `retry-after-ms` (OpenAI,
 * Azure), at most 24 h; null where neither is there or can be read.
 */
function readProviderRetryAfter(headers: Headers, now: Date): number | null {
  const milliseconds = parseDecimal(headers.get('retry-after-ms'));
  if (milliseconds !== null) return limitWait(milliseconds);
  const header = headers.get('retry-after');
  const seconds = parseDecimal(header);
  if (seconds !== null) return limitWait(seconds * 1_000);
  const date = header !== null && HTTP_DATE.test(header.trim()) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? null : limitWait(date - now.getTime());
}

function parseDecimal(header: string | null): number | null {
  return header !== null && /^\s*\d{1,15}(\.\d{1,15})?\s*$/.test(header) ? Number(header) : null;
}

function limitWait(milliseconds: number): number {
  return Math.ceil(Math.min(Math.max(milliseconds, 0), LONGEST_RETRY_AFTER_MS));
}

const LONGEST_QUOTE = 300;
/** Endpoints repeat wrong keys in part; so many characters of either end give it away. */
const KEY_END = 8;

/** Where servers built on Pydantic repeat the part of the request that they reject. */
const ECHOES: ReadonlySet<string> = new Set(['input', 'ctx']);
/**
 * The same where another server has put it into a text. All that follows is removed: nothing says where the repetition
 * ends.
 */
const WRITTEN_ECHO = /(?:\binput_value=|["']input\\*["']\s*:).*/s;
/** Signatures and encrypted reasoning; no word is that long. */
const SEALED = /[\w+/=-]{60,}/g;

/** The text of an error body of any shape, without what it repeats of the request; empty for web pages. */
function readBodyText(body: unknown): string {
  const withoutEchoes = (name: string, value: unknown) => (ECHOES.has(name) ? undefined : value);
  const text = typeof body === 'string' ? body : (JSON.stringify(body, withoutEchoes) ?? '');
  return text.trimStart().startsWith('<') ? '' : text;
}

/**
 * A quotation for an error message: one line, short, without secrets and opaque parts. Empty where there is nothing to
 * quote.
 */
function quoteProviderText(text: string, secrets: readonly string[]): string {
  const line = secrets
    .reduce(removeSecret, text)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .replace(WRITTEN_ECHO, '…')
    .replace(SEALED, '…')
    .trim();
  if (line === '') return '';
  return ` It says: "${line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE)}…` : line}"`;
}

function removeSecret(text: string, secret: string): string {
  if (secret.length < KEY_END) return text;
  const clean = text.replaceAll(secret, '[key]');
  if (secret.length < 2 * KEY_END) return clean;
  const ends = [secret.slice(0, KEY_END), secret.slice(-KEY_END)];
  return clean.replace(/[^\s"']+/g, (word) => (ends.some((end) => word.includes(end)) ? '[key]' : word));
}
