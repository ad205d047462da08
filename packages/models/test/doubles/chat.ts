// Doubles of endpoints that speak chat.completions: each refuses what its provider is known to refuse, in the provider's own words.
import { randomBytes } from 'node:crypto';
import type { Turns } from '../played.ts';
import { usageOfTurn } from '../played.ts';
import {
  type Dialect,
  type Double,
  type Json,
  listOf,
  type NeutralMessage,
  OpaqueParts,
  openDouble,
  type Received,
  type Refusal,
  textOf,
  unnamedEvents,
} from './double.ts';

/** The conversation as chat.completions holds it. */
export function chatConversation({ body }: Received): readonly NeutralMessage[] {
  return listOf(body['messages']).map((message) => {
    const role = message['role'] === 'developer' ? 'system' : (message['role'] as NeutralMessage['role']);
    return { ...message, role, content: textOf(message['content']) };
  });
}

interface ChatCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  /** Fields other than the standard ones. */
  readonly more?: Json;
}

interface ChatAnswer {
  readonly model: string;
  /** Deltas before the text. */
  readonly before?: readonly Json[];
  readonly say: string;
  readonly calls: readonly ChatCall[];
  /** Whether calls have a number, as they have at OpenAI. */
  readonly numbered?: boolean;
  readonly usage: Json;
}

/** A streamed answer: text, calls, the reason of its end, usage. */
export function chatStream({ model, before = [], say, calls, numbered = true, usage }: ChatAnswer): string {
  const chunk = (delta: Json, finish: string | null = null) => ({
    id: 'chatcmpl-double',
    object: 'chat.completion.chunk',
    model,
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const callDeltas = calls.map(({ id, name, arguments: args, more = {} }, index) => ({
    tool_calls: [
      { ...(numbered ? { index } : {}), id, type: 'function', function: { name, arguments: args }, ...more },
    ],
  }));
  return unnamedEvents([
    chunk({ role: 'assistant', content: '' }),
    ...before.map((delta) => chunk(delta)),
    ...(say === '' ? [] : [chunk({ content: say })]),
    ...callDeltas.map((delta) => chunk(delta)),
    chunk({}, calls.length > 0 ? 'tool_calls' : 'stop'),
    { id: 'chatcmpl-double', object: 'chat.completion.chunk', model, choices: [], usage },
  ]);
}

function bearerOf({ headers }: Received): string {
  return /^Bearer (.*)$/.exec(headers['authorization'] ?? '')?.[1] ?? '';
}

const NOT_FOUND: Refusal = { status: 404, body: { error: { message: 'Not Found', type: 'invalid_request_error' } } };

function isChat({ method, path }: Received, prefix: string): boolean {
  return method === 'POST' && path === `${prefix}/chat/completions`;
}

/** Calls without an answer, by the rule that all of chat.completions shares; null where each has one. */
function unanswered(messages: readonly Json[]): string | null {
  for (const [at, message] of messages.entries()) {
    const ids = listOf(message['tool_calls']).map(({ id }) => String(id));
    const rest = messages.slice(at + 1);
    const end = rest.findIndex(({ role }) => role !== 'tool');
    const answers = (end === -1 ? rest : rest.slice(0, end)).map(({ tool_call_id: id }) => String(id));
    const missing = ids.filter((id) => !answers.includes(id));
    if (missing.length > 0) return missing.join(', ');
  }
  return null;
}

/** The first tool result whose call is not in the message before; null where each has one. */
function orphaned(messages: readonly Json[]): number | null {
  const at = messages.findIndex((message, index) => {
    if (message['role'] !== 'tool') return false;
    const asking = messages.slice(0, index).findLast(({ role }) => role !== 'tool');
    return !listOf(asking?.['tool_calls']).some(({ id }) => id === message['tool_call_id']);
  });
  return at === -1 ? null : at;
}

/**
 * What OpenAI's chat.completions refuses about any request.
 * Ids over 40 characters: "Invalid 'messages[2].tool_calls[0].id': string too long", BerriAI/litellm#11392.
 * `max_tokens` at reasoning models: unsupported_parameter, OpenAI API reference, chat/create `max_tokens` (deprecated, not for o-series).
 * Calls without results: OpenAI function calling guide; words as in QwenLM/qwen-code#315 and many others.
 */
export function openAiChatFault({ body }: Received): Refusal | null {
  const messages = listOf(body['messages']);
  for (const [at, message] of messages.entries()) {
    for (const [index, { id }] of listOf(message['tool_calls']).entries()) {
      const { length } = String(id);
      if (length > 40) {
        const where = `messages[${at}].tool_calls[${index}].id`;
        const words = `Invalid '${where}': string too long. Expected a string with maximum length 40, but got a string with length ${length} instead.`;
        return openAiError(400, words, { param: where, code: 'string_above_max_length' });
      }
    }
  }
  if (body['max_tokens'] !== undefined) {
    const words =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    return openAiError(400, words, { param: 'max_tokens', code: 'unsupported_parameter' });
  }
  const missing = unanswered(messages);
  if (missing !== null) {
    const words = `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${missing}`;
    return openAiError(400, words, { param: 'messages' });
  }
  const orphan = orphaned(messages);
  if (orphan !== null) {
    const words = `Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.`;
    return openAiError(400, words, { param: `messages.[${orphan}].role` });
  }
  return null;
}

export function openAiError(
  status: number,
  message: string,
  { param = null as string | null, code = null as string | null, type = 'invalid_request_error' } = {},
): Refusal {
  return { status, body: { error: { message, type, param, code } } };
}

/**
 * The messages of the current turn, as Gemini counts turns: from the last message of a person on.
 * ai.google.dev/gemini-api/docs/thought-signatures: "strict validation on the current turn" (quoted in discuss.ai.google.dev/t/109823).
 */
function currentTurn(messages: readonly Json[]): readonly (readonly [position: number, message: Json])[] {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  return [...messages.entries()].slice(last + 1);
}

/** A documented way around the check, for calls of another model: same page, FAQ; used by jeremychone/rust-genai#115, pipecat-ai/pipecat#5809. */
const SKIP = 'skip_thought_signature_validator';

interface GeminiFault {
  readonly message: string;
}

/**
 * The first call of each step of the current turn must have its signature; further calls of the same step have none.
 * ai.google.dev/gemini-api/docs/thought-signatures, "Parallel function calls"; words: discuss.ai.google.dev/t/109823, lbjlaq/Antigravity-Manager#938.
 * An altered one is "Corrupted thought signature.": anomalyco/opencode#4832.
 */
function geminiFault(
  messages: readonly Json[],
  parts: OpaqueParts<string>,
  signatureOf: (call: Json) => unknown,
): GeminiFault | null {
  for (const [position, message] of currentTurn(messages)) {
    const [first] = listOf(message['tool_calls']);
    if (first === undefined) continue;
    const signature = signatureOf(first);
    const name = (first['function'] as Json | undefined)?.['name'];
    if (signature === undefined || signature === null || signature === '') {
      const message =
        'Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing ' +
        `thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\` , position ${position + 1}. ` +
        'Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.';
      return { message };
    }
    if (signature !== SKIP && parts.of(signature) !== name) return { message: 'Corrupted thought signature.' };
  }
  return null;
}

const GEMINI_PATH = '/v1beta/openai';

/**
 * Top-level names that Gemini's compatible endpoint knows: ai.google.dev/gemini-api/docs/openai. Others are "Cannot find field":
 * `store` liliMozi/openhanako#394, `prompt_cache_key` liliMozi/openhanako#2494, `reasoning` SuzumiyaAkizuki/ComfyUI-NewBie-LLM-Formatter#3;
 * `parallel_tool_calls` is known by now: jackmpcollins/magentic#382; `max_completion_tokens` and `stream_options`: openhanako#2494.
 */
const GEMINI_KNOWS = new Set([
  ...[
    'model',
    'messages',
    'stream',
    'stream_options',
    'tools',
    'tool_choice',
    'parallel_tool_calls',
    'reasoning_effort',
  ],
  ...['max_tokens', 'max_completion_tokens', 'temperature', 'top_p', 'n', 'stop', 'response_format', 'extra_body'],
]);

/** Google's OpenAI endpoint in front of Gemini 3. Its errors come as a list of one: securo-finance/securo#884. */
export async function geminiDouble(turns: Turns, { key }: { readonly key: string }): Promise<Double> {
  const parts = new OpaqueParts<string>();
  const error = (message: string, more: Json = {}): Refusal => ({
    status: 400,
    body: [{ error: { code: 400, message, status: 'INVALID_ARGUMENT', ...more } }],
  });
  const dialect: Dialect = {
    lost: [],
    refuse: (received) => {
      if (!isChat(received, GEMINI_PATH)) return NOT_FOUND;
      // "API key not valid. Please pass a valid API key.": ai.google.dev/gemini-api/docs/troubleshooting.
      if (bearerOf(received) !== key) return error('API key not valid. Please pass a valid API key.');
      const unknown = Object.keys(received.body).find((name) => !GEMINI_KNOWS.has(name));
      if (unknown !== undefined) {
        const message = `Invalid JSON payload received. Unknown name "${unknown}": Cannot find field.`;
        const details = [
          { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{ description: message }] },
        ];
        return error(message, { details });
      }
      const fault = geminiFault(listOf(received.body['messages']), parts, geminiSignature);
      return fault === null ? null : error(fault.message);
    },
    conversation: chatConversation,
    // No `index` in the calls, and the signature beside the first one: THU-MAIC/OpenMAIC#1556 shows such a chunk.
    stream: (turn, { body }) =>
      chatStream({
        model: String(body['model']),
        say: turn.say,
        numbered: false,
        calls: turn.calls.map((call, index) => ({
          ...call,
          id: `call_${randomBytes(3).toString('hex')}`,
          more: index === 0 ? { extra_content: { google: { thought_signature: parts.make(call.name) } } } : {},
        })),
        usage: usageOfTurn(turn.number),
      }),
  };
  return await openDouble(dialect, turns, () => parts.all());
}

function geminiSignature(call: Json): unknown {
  const google = (call['extra_content'] as Json | undefined)?.['google'];
  return (google as Json | undefined)?.['thought_signature'];
}

const LITELLM_SEPARATOR = '__thought__';

/**
 * LiteLLM in front of Gemini 3: the signature is appended to the id of the call after `__thought__`, BerriAI/litellm#16895.
 * The refusal is Google's, wrapped: BerriAI/litellm#16893. Versions that put the documented placeholder where a signature is missing
 * refuse nothing, but then the model goes on without its thoughts.
 */
export async function liteLlmDouble(turns: Turns, { key }: { readonly key: string }): Promise<Double> {
  const parts = new OpaqueParts<string>();
  const ids: string[] = [];
  const signatureOf = (call: Json) => String(call['id']).split(LITELLM_SEPARATOR)[1];
  const dialect: Dialect = {
    lost: [],
    refuse: (received) => {
      if (!isChat(received, '/v1')) return NOT_FOUND;
      if (bearerOf(received) !== key) {
        // docs.litellm.ai/docs/proxy/virtual_keys shows the form of the error.
        const message = 'Authentication Error, Invalid proxy server token passed.';
        return { status: 401, body: { error: { message, type: 'auth_error', param: 'None', code: '401' } } };
      }
      const fault = geminiFault(listOf(received.body['messages']), parts, signatureOf);
      if (fault === null) return null;
      const google = JSON.stringify({ error: { code: 400, message: fault.message, status: 'INVALID_ARGUMENT' } });
      const message = `litellm.BadRequestError: Vertex_ai_betaException BadRequestError - b'${google}'\nReceived Model Group=${received.body['model']}`;
      return { status: 400, body: { error: { message, type: null, param: null, code: '400' } } };
    },
    conversation: chatConversation,
    stream: (turn, { body }) => {
      const calls = turn.calls.map((call, index) => {
        const bare = `call_${randomBytes(14).toString('hex')}`;
        const id = index === 0 ? `${bare}${LITELLM_SEPARATOR}${parts.make(call.name)}` : bare;
        ids.push(id);
        return { ...call, id };
      });
      return chatStream({ model: String(body['model']), say: turn.say, calls, usage: usageOfTurn(turn.number) });
    },
  };
  return await openDouble(dialect, turns, () => parts.all());
}

type ThinkingRules = (message: Json, at: number, received: Received) => Refusal | null;

/** An endpoint with thoughts in a `field` next to the answer, which must come back with the calls. */
async function thinkingDouble(
  turns: Turns,
  options: {
    readonly prefix: string;
    readonly key: string;
    readonly badKey: Refusal;
    readonly field: 'reasoning_content' | 'reasoning';
    readonly rules: ThinkingRules;
    readonly body?: (received: Received) => Refusal | null;
    readonly usage: (turn: number) => Json;
  },
): Promise<Double> {
  const { field } = options;
  const parts = new OpaqueParts<number>();
  const lost: string[] = [];
  /** Thoughts by the id of the first call that they led to. */
  const thoughts = new Map<string, string>();
  const dialect: Dialect = {
    lost,
    refuse: (received) => {
      if (!isChat(received, options.prefix)) return NOT_FOUND;
      if (options.key !== '' && bearerOf(received) !== options.key) return options.badKey;
      const own = options.body?.(received) ?? null;
      if (own !== null) return own;
      const messages = listOf(received.body['messages']);
      const missing = unanswered(messages);
      if (missing !== null) return openAiError(400, `tool_calls without results: ${missing}`);
      for (const [at, message] of messages.entries()) {
        const [first] = listOf(message['tool_calls']);
        if (first === undefined) continue;
        const fault = options.rules(message, at, received);
        if (fault !== null) return fault;
        const given = thoughts.get(String(first['id']));
        if (given !== undefined && message[field] !== given) lost.push(`${field} of message ${at}`);
      }
      return null;
    },
    conversation: chatConversation,
    stream: (turn, { body }) => {
      const thought = `Let me think. ${parts.make(turn.number)}\n  "quoted" \u2028 end.`;
      const calls = turn.calls.map((call) => ({ ...call, id: `call_${randomBytes(12).toString('hex')}` }));
      const [first] = calls;
      if (first !== undefined) thoughts.set(first.id, thought);
      const before = [thought.slice(0, 20), thought.slice(20)].map((piece) => ({ [field]: piece }));
      const usage = options.usage(turn.number);
      return chatStream({ model: String(body['model']), before, say: turn.say, calls, usage });
    },
  };
  return await openDouble(dialect, turns, () => parts.all());
}

/**
 * DeepSeek V4, which thinks unless told otherwise.
 * Thoughts of turns with calls must come back in all later requests: api-docs.deepseek.com/guides/thinking_mode; words: anomalyco/opencode#24083.
 * That the field is there counts, be it empty: openclaw/openclaw#73417.
 * `tool_choice` other than auto and none: deepseek-ai/DeepSeek-V3#1376, tickernelz/opencode-mem#253. DeepSeek's guide for agents says that
 * any is refused (mozilla-ai/any-llm#1384): `strictToolChoice`.
 */
export async function deepSeekDouble(
  turns: Turns,
  { key, strictToolChoice = false }: { readonly key: string; readonly strictToolChoice?: boolean },
): Promise<Double> {
  const error = (message: string) => openAiError(400, message, { code: 'invalid_request_error' });
  const accepted = strictToolChoice ? [undefined] : [undefined, 'auto', 'none'];
  return await thinkingDouble(turns, {
    ...{ prefix: '', key, field: 'reasoning_content' },
    badKey: openAiError(401, `Authentication Fails, Your api key: ****${key.slice(-4)} is invalid`, {
      type: 'authentication_error',
      code: 'invalid_request_error',
    }),
    body: ({ body }) =>
      accepted.includes(body['tool_choice'] as string | undefined)
        ? null
        : error('Thinking mode does not support this tool_choice'),
    rules: (message) =>
      typeof message['reasoning_content'] === 'string'
        ? null
        : error('The `reasoning_content` in the thinking mode must be passed back to the API.'),
    // api-docs.deepseek.com/guides/kv_cache: hits and misses have fields of their own.
    usage: (turn) => {
      const usage = usageOfTurn(turn);
      const hit = usage.prompt_tokens_details.cached_tokens;
      return { ...usage, prompt_cache_hit_tokens: hit, prompt_cache_miss_tokens: usage.prompt_tokens - hit };
    },
  });
}

/**
 * Kimi K2.5, which thinks unless told otherwise.
 * Words and form: labring/FastGPT#6357, continuedev/continue#11711; an empty field passes: Lapis0x0/obsidian-yolo#243.
 * Temperature: Warma10032/VideoAdGuard#34.
 */
export async function kimiDouble(turns: Turns, { key }: { readonly key: string }): Promise<Double> {
  const error = (status: number, message: string, type = 'invalid_request_error'): Refusal => ({
    status,
    body: { error: { message, type } },
  });
  return await thinkingDouble(turns, {
    ...{ prefix: '/v1', key, field: 'reasoning_content' },
    badKey: error(401, 'Invalid Authentication', 'invalid_authentication_error'),
    body: ({ body }) =>
      (body['temperature'] ?? 1) === 1 ? null : error(400, 'invalid temperature: only 1 is allowed for this model'),
    rules: (message, at) =>
      typeof message['reasoning_content'] === 'string'
        ? null
        : error(
            400,
            `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${at}`,
          ),
    usage: (turn) => {
      const usage = usageOfTurn(turn);
      return { ...usage, cached_tokens: usage.prompt_tokens_details.cached_tokens };
    },
  });
}

/**
 * Ollama. No key; `tool_choice` is not supported and passed over (docs.ollama.com/api/openai-compatibility); thoughts come as `reasoning`
 * (leookun/cursor-byok#363) and need not come back.
 * A model without tools: FoundationAgents/OpenManus#220, louisho5/picobot#6.
 * Arguments of earlier calls are parsed; the words are inferred.
 */
export async function ollamaDouble(
  turns: Turns,
  { hasTools = true }: { readonly hasTools?: boolean } = {},
): Promise<Double> {
  const error = (status: number, message: string) => openAiError(status, message, { type: 'api_error' });
  return await thinkingDouble(turns, {
    ...{ prefix: '/v1', key: '', badKey: NOT_FOUND, field: 'reasoning' },
    body: ({ body }) =>
      hasTools || body['tools'] === undefined
        ? null
        : error(400, `registry.ollama.ai/library/${body['model']} does not support tools`),
    rules: (message) => (hasSoundArguments(message) ? null : error(400, 'invalid tool call arguments')),
    usage: (turn) => {
      const { prompt_tokens, completion_tokens } = usageOfTurn(turn);
      return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
    },
  });
}

/**
 * vLLM. Without its flags it takes no tools: agentscope-ai/QwenPaw#1449, vllm-project/vllm#9986; `hasTools`: it was started with them.
 * Thoughts come as `reasoning`: vLLM RFC 27755, agent0ai/agent-zero#1731. Arguments of earlier calls are parsed
 * for the chat template; the words are inferred.
 */
export async function vllmDouble(
  turns: Turns,
  { hasTools = true }: { readonly hasTools?: boolean } = {},
): Promise<Double> {
  return await thinkingDouble(turns, {
    ...{ prefix: '/v1', key: '', badKey: NOT_FOUND, field: 'reasoning' },
    body: ({ body }) => {
      if (hasTools || body['tools'] === undefined || body['tool_choice'] === 'none') return null;
      const words = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set';
      return { status: 400, body: { error: { message: words, type: 'BadRequestError', param: null, code: 400 } } };
    },
    rules: (message) =>
      hasSoundArguments(message)
        ? null
        : { status: 400, body: { error: { message: 'Expecting value', type: 'BadRequestError', code: 400 } } },
    usage: (turn) => {
      const { prompt_tokens, completion_tokens } = usageOfTurn(turn);
      return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
    },
  });
}

function hasSoundArguments(message: Json): boolean {
  return listOf(message['tool_calls']).every((call) => {
    try {
      const parsed: unknown = JSON.parse(String((call['function'] as Json)['arguments']));
      return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
    } catch {
      return false;
    }
  });
}

/** What the double of OpenRouter charges for a turn, in US dollars. */
export function openRouterCost(turn: number): number {
  return (1_234 + 7 * turn) / 1_000_000;
}

/**
 * OpenRouter in front of Gemini 3.
 * `reasoning_details` must come back as they were: openrouter.ai/docs/guides/best-practices/reasoning-tokens, "Preserving reasoning blocks";
 * words: massgen/MassGen#624, LibreChat-AI/agents#37. Pieces of one text (same `index`) may come back joined or not.
 * `usage.cost` in the last chunk: openrouter.ai/docs/use-cases/usage-accounting. Comment lines while it waits: openrouter.ai/docs/api-reference/streaming.
 */
export async function openRouterDouble(turns: Turns, { key }: { readonly key: string }): Promise<Double> {
  const parts = new OpaqueParts<string>();
  const lost: string[] = [];
  const texts = new Map<string, string>();
  const detailsOf = (message: Json) => listOf(message['reasoning_details']);
  const refusal = (message: string): Refusal => {
    const upstream = JSON.stringify({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }, null, 2);
    const raw =
      'Gemini models require OpenRouter reasoning details to be preserved in each request. Please refer to our docs: ' +
      `https://openrouter.ai/docs/guides/best-practices/reasoning-tokens#preserving-reasoning-blocks. Upstream error: ${upstream}\n`;
    const metadata = { raw, provider_name: 'Google AI Studio' };
    return {
      status: 400,
      body: { error: { message: 'Provider returned error', code: 400, metadata }, user_id: 'user_x' },
    };
  };
  const dialect: Dialect = {
    lost,
    refuse: (received) => {
      if (!isChat(received, '/api/v1')) return NOT_FOUND;
      // openrouter.ai/docs/api-reference/errors: 401; the words are inferred.
      if (bearerOf(received) !== key) {
        return { status: 401, body: { error: { message: 'User not found.', code: 401 } } };
      }
      const messages = listOf(received.body['messages']).map((message) => {
        const [first, ...rest] = listOf(message['tool_calls']);
        if (first === undefined) return message;
        const own = detailsOf(message).find(({ type, id }) => type === 'reasoning.encrypted' && id === first['id']);
        return { ...message, tool_calls: [{ ...first, signature: own?.['data'] }, ...rest] };
      });
      const fault = geminiFault(messages, parts, (call) => call['signature']);
      if (fault !== null) return refusal(fault.message);
      for (const [at, message] of listOf(received.body['messages']).entries()) {
        const [first] = listOf(message['tool_calls']);
        const given = texts.get(String(first?.['id']));
        if (given === undefined) continue;
        const back = detailsOf(message).filter(({ type }) => type === 'reasoning.text');
        if (back.map(({ text }) => text).join('') !== given) lost.push(`reasoning text of message ${at}`);
      }
      return null;
    },
    conversation: chatConversation,
    stream: (turn, { body }) => {
      const calls = turn.calls.map((call) => ({
        ...call,
        id: `tool_${call.name}_${randomBytes(9).toString('base64url')}`,
      }));
      const [first] = calls;
      const format = 'google-gemini-v1';
      const text = `Considering turn ${turn.number}. ${parts.make('text', { bytes: 24 })}`;
      if (first !== undefined) texts.set(first.id, text);
      const shown = [text.slice(0, 12), text.slice(12)].map((piece) => ({
        reasoning: piece,
        reasoning_details: [{ type: 'reasoning.text', text: piece, format, index: 0 }],
      }));
      const data = first === undefined ? '' : parts.make(first.name);
      const sealed =
        first === undefined
          ? []
          : [{ reasoning_details: [{ type: 'reasoning.encrypted', data, id: first.id, format, index: 1 }] }];
      const usage = { ...usageOfTurn(turn.number), cost: openRouterCost(turn.number), is_byok: false };
      const before = [...shown, ...sealed];
      const stream = chatStream({ model: String(body['model']), before, say: turn.say, calls, usage });
      return `: OPENROUTER PROCESSING\n\n${stream}`;
    },
  };
  return await openDouble(dialect, turns, () => parts.all());
}
