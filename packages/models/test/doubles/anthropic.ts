// Double of Anthropic's Messages API with thinking and the prompt cache, counted by its published rule.
import { createHash, randomBytes } from 'node:crypto';
import type { Turns } from '../played.ts';
import {
  type Dialect,
  type Double,
  type Json,
  listOf,
  type NeutralMessage,
  namedEvents,
  OpaqueParts,
  openDouble,
  pieces,
  type Received,
  type Refusal,
  type Turn,
  textOf,
  tokensIn,
} from './double.ts';

interface Thinking {
  readonly text: string;
  /** What preceded it: hash of tools, system and messages. */
  readonly prefix: string;
  /** Its position in the content of its message. */
  readonly position: number;
}

export interface AnthropicDouble extends Double {
  /** Tokens of each answered request. */
  readonly usages: readonly CacheUsage[];
}

export interface CacheUsage {
  readonly input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
}

/**
 * Which models take which kind of thinking: "thinking.type.enabled" is refused from Opus 4.7 on, earendil-works/pi#3297; adaptive thinking
 * is there from Opus and Sonnet 4.6 on, and on by itself from version 5 on: platform.claude.com/docs/en/build-with-claude/adaptive-thinking.
 */
function generationOf(model: string): {
  readonly takesBudget: boolean;
  readonly takesAdaptive: boolean;
  readonly takesEffort: boolean;
  readonly thinks: boolean;
} {
  const [, family = '', major = '0', minor = '0'] = /^claude-([a-z]+)-(\d+)(?:-(\d{1,2}))?(?:-|$)/.exec(model) ?? [];
  const version = Number(major) + Number(minor) / 10;
  const takesAdaptive = version >= 4.6 && (family !== 'haiku' || version >= 5);
  const takesEffort = takesAdaptive || (family === 'opus' && version >= 4.5);
  return { takesBudget: version < 4.7, takesAdaptive, takesEffort, thinks: version >= 5 };
}

/** Models that check what precedes a block: platform.claude.com/docs/en/build-with-claude/preserved-thinking/prefix-checks. */
const CHECKS_PREFIX = /^claude-(?:fable-5-[12]|(?:opus|sonnet|haiku)-5-5)/;

/**
 * Tokens below which nothing is cached: platform.claude.com/docs/en/build-with-claude/prompt-caching as of 2026-08 (affaan-m/ECC#3173).
 * Models that it does not name: as the older ones.
 */
const LEAST_TOKENS: readonly (readonly [model: RegExp, tokens: number])[] = [
  [/^claude-(?:opus-5|fable-5|mythos-5)/, 512],
  [/^claude-(?:opus-4-8|sonnet-[45])/, 1_024],
  [/^claude-opus-4-7/, 2_048],
  [/^claude-(?:opus-4-[56]|haiku-4-5)/, 4_096],
];
const MOST_MARKS = 4;
const LOOK_BACK_BLOCKS = 20;
const LIFE_MS = 5 * 60_000;

export async function anthropicDouble(turns: Turns, { key }: { readonly key: string }): Promise<AnthropicDouble> {
  const parts = new OpaqueParts<Thinking>();
  const texts = new OpaqueParts<number>();
  const cache = new PromptCache();
  const usages: CacheUsage[] = [];
  const lost: string[] = [];
  /** Signatures in the order in which they were given out, by the first call that followed. */
  const thinkingOf = new Map<string, string>();
  const dialect: Dialect = {
    lost,
    refuse: (received) => {
      const fault = headerFault(received, key) ?? bodyFault(received.body) ?? pairFault(received.body);
      return fault ?? thinkingFault(received.body, { parts, thinkingOf, lost });
    },
    conversation: messagesConversation,
    stream: (turn, { body }) => {
      const usage = cache.usage(body);
      usages.push(usage);
      return messagesStream(turn, { body, usage, parts, texts, thinkingOf });
    },
  };
  const double = await openDouble(dialect, turns, () => [...parts.all(), ...texts.all()]);
  // The getter of the opaque parts must stay one.
  return Object.defineProperties(double, { usages: { value: usages } }) as AnthropicDouble;
}

/** platform.claude.com/docs/en/api/errors shows the form; the codes: 400 invalid_request_error, 401 authentication_error, 404 not_found_error. */
function error(status: number, type: string, message: string): Refusal {
  return { status, body: { type: 'error', error: { type, message }, request_id: 'req_double' } };
}

function invalid(message: string): Refusal {
  return error(400, 'invalid_request_error', message);
}

/** platform.claude.com/docs/en/api/overview: `x-api-key` and `anthropic-version` are required. */
function headerFault({ method, path, headers }: Received, key: string): Refusal | null {
  if (method !== 'POST' || path !== '/v1/messages') return error(404, 'not_found_error', 'Not Found');
  if (headers['x-api-key'] !== key) return error(401, 'authentication_error', 'invalid x-api-key');
  if (headers['anthropic-version'] === undefined) return invalid('anthropic-version: header is required');
  return null;
}

/**
 * What is refused about one message alone.
 * `max_tokens`: required by platform.claude.com/docs/en/api/messages. Marks over four: tghamm/Anthropic.SDK#50, continuedev/continue#6937.
 * Marks on thoughts and on empty texts: the caching guide, "What cannot be cached". Thinking: see `generationOf`. Forced tools with
 * thinking: run-llama/llama_index#19641. Empty texts and ids: words that anthropics/claude-code issues quote.
 */
function bodyFault(body: Json): Refusal | null {
  if (typeof body['max_tokens'] !== 'number') return invalid('max_tokens: Field required');
  const blocks = allBlocks(body);
  const marks = blocks.filter(({ block }) => block['cache_control'] !== undefined).length;
  if (marks > MOST_MARKS) {
    return invalid(`A maximum of ${MOST_MARKS} blocks with cache_control may be provided. Found ${marks}.`);
  }
  const names = Object.keys(body).find((name) => !KNOWN.has(name));
  if (names !== undefined) return invalid(`${names}: Extra inputs are not permitted`);
  for (const { block, path } of blocks) {
    const isMarked = block['cache_control'] !== undefined;
    if (isMarked && /thinking$/.test(String(block['type']))) {
      return invalid(`${path}.${block['type']}.cache_control: Extra inputs are not permitted`);
    }
    if (block['type'] === 'text' && textOf(block['text']) === '') {
      return invalid(
        isMarked
          ? `${path}.text.cache_control: cache_control cannot be set for empty text blocks`
          : 'messages: text content blocks must be non-empty',
      );
    }
    if (block['type'] === 'tool_use' && !/^[a-zA-Z0-9_-]+$/.test(String(block['id']))) {
      return invalid(`${path}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
    }
  }
  return configurationFault(body);
}

const KNOWN = new Set([
  ...[
    'model',
    'messages',
    'system',
    'max_tokens',
    'stream',
    'tools',
    'tool_choice',
    'thinking',
    'output_config',
    'metadata',
  ],
  ...['temperature', 'top_p', 'top_k', 'stop_sequences', 'service_tier', 'cache_control'],
]);

function configurationFault(body: Json): Refusal | null {
  const { takesBudget, takesAdaptive, takesEffort } = generationOf(String(body['model']));
  // Opus 4.5, and from 4.6 on: platform.claude.com/docs/en/build-with-claude/effort. Quoted in many public clients with Haiku 4.5.
  if ((body['output_config'] as Json | undefined)?.['effort'] !== undefined && !takesEffort) {
    return invalid('This model does not support the effort parameter.');
  }
  const thinking = (body['thinking'] ?? {}) as Json;
  if (thinking['type'] === 'enabled') {
    if (!takesBudget) {
      return invalid(
        '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
      );
    }
    const budget = Number(thinking['budget_tokens']);
    // platform.claude.com/docs/en/build-with-claude/extended-thinking: at least 1,024, and less than max_tokens.
    if (!(budget >= 1_024))
      return invalid('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024');
    if (budget >= Number(body['max_tokens'])) {
      return invalid('`max_tokens` must be greater than `thinking.budget_tokens`.');
    }
  }
  if (thinking['type'] === 'adaptive' && !takesAdaptive) {
    return invalid('adaptive thinking is not supported on this model');
  }
  const choice = (body['tool_choice'] as Json | undefined)?.['type'];
  if (thinks(body) && (choice === 'any' || choice === 'tool')) {
    return invalid('Thinking may not be enabled when tool_choice forces tool use.');
  }
  return null;
}

function thinks(body: Json): boolean {
  const type = (body['thinking'] as Json | undefined)?.['type'];
  return type === undefined ? generationOf(String(body['model'])).thinks : type !== 'disabled';
}

interface Placed {
  readonly block: Json;
  readonly path: string;
}

/** Every block in the order in which the model sees them: tools, system, messages. */
function allBlocks(body: Json): readonly Placed[] {
  const contentOf = (content: unknown) =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
  const place = (blocks: readonly Json[], path: string) =>
    blocks.map((block, at) => ({ block, path: `${path}.${at}` }));
  return [
    ...place(listOf(body['tools']), 'tools'),
    ...(body['system'] === undefined ? [] : place(contentOf(body['system']), 'system')),
    ...listOf(body['messages']).flatMap(({ content }, at) => place(contentOf(content), `messages.${at}.content`)),
  ];
}

/**
 * Results stand at the start of the message after the calls, all of them, and nothing else does.
 * anthropics/claude-code#8210 and #13460 have the words; platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls the order.
 */
function pairFault(body: Json): Refusal | null {
  const messages = listOf(body['messages']);
  for (const [at, { content }] of messages.entries()) {
    const uses = listOf(content).filter(({ type }) => type === 'tool_use');
    const next = listOf(messages[at + 1]?.['content']);
    const end = next.findIndex(({ type }) => type !== 'tool_result');
    const results = (end === -1 ? next : next.slice(0, end)).map(({ tool_use_id: id }) => id);
    const missing = uses.filter(({ id }) => !results.includes(id)).map(({ id }) => id);
    if (missing.length > 0) {
      return invalid(
        `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
      );
    }
    const before = listOf(messages[at - 1]?.['content']);
    for (const [index, block] of listOf(content).entries()) {
      const id = block['tool_use_id'];
      if (block['type'] !== 'tool_result' || before.some((use) => use['type'] === 'tool_use' && use['id'] === id))
        continue;
      return invalid(
        `messages.${at}.content.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    }
  }
  return null;
}

interface ThinkingGround {
  readonly parts: OpaqueParts<Thinking>;
  readonly thinkingOf: ReadonlyMap<string, string>;
  readonly lost: string[];
}

/**
 * Thoughts that come back.
 * With a budget the last turn of the model must begin with its thoughts: deepset-ai/haystack-core-integrations#2146. With adaptive thinking
 * it need not (platform.claude.com/docs/en/build-with-claude/adaptive-thinking, "Validation"), and only the reasoning gets worse.
 * Altered or moved in the last turn: anthropics/claude-code#63284. A signature that is not its own: "Invalid `signature` in `thinking` block".
 * Models with preserved thinking refuse them where anything before has changed, or where one between others is missing:
 * platform.claude.com/docs/build-with-claude/preserved-thinking/fix-bound-to-a-different-conversation. Cache marks do not count.
 */
function thinkingFault(body: Json, { parts, thinkingOf, lost }: ThinkingGround): Refusal | null {
  if (!thinks(body)) return null;
  const messages = listOf(body['messages']);
  const lastOwn = messages.findLastIndex(({ role }) => role === 'assistant');
  let isOneMissing = false;
  for (const [at, { role, content }] of messages.entries()) {
    if (role !== 'assistant') continue;
    const blocks = listOf(content);
    const firstUse = blocks.find(({ type }) => type === 'tool_use');
    const [first] = blocks;
    const isThought = first?.['type'] === 'thinking' || first?.['type'] === 'redacted_thinking';
    const isManual = (body['thinking'] as Json | undefined)?.['type'] === 'enabled';
    if (at === lastOwn && isManual && firstUse !== undefined && !isThought) {
      return invalid(
        `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first?.['type']}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking`,
      );
    }
    const given = thinkingOf.get(String(firstUse?.['id']));
    if (given !== undefined && !blocks.some(({ signature }) => signature === given)) {
      lost.push(`thinking of message ${at}`);
      isOneMissing = true;
    }
    for (const [index, block] of blocks.entries()) {
      if (block['type'] !== 'thinking') continue;
      const known = parts.of(block['signature']);
      if (known === null)
        return invalid(`messages.${at}.content.${index}: Invalid \`signature\` in \`thinking\` block`);
      const isAltered = known.text !== block['thinking'] || known.position !== index;
      if (isAltered && at === lastOwn) {
        return invalid(
          `messages.${at}.content.${index}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
        );
      }
      if (isAltered) return invalid(`messages.${at}.content.${index}: Invalid \`signature\` in \`thinking\` block`);
      const isBound = CHECKS_PREFIX.test(String(body['model']));
      if (isBound && (isOneMissing || known.prefix !== prefixOf(body, at))) {
        return invalid(
          `messages.${at}.content.${index}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".`,
        );
      }
    }
  }
  return null;
}

/** What precedes message `at`, without marks. */
function prefixOf(body: Json, at: number): string {
  const before = [body['tools'], body['system'], listOf(body['messages']).slice(0, at)];
  const plain = JSON.stringify(before, (name, value: unknown) => (name === 'cache_control' ? undefined : value));
  return createHash('sha256').update(plain).digest('hex');
}

function messagesConversation({ body }: Received): readonly NeutralMessage[] {
  const system = textOf(body['system']);
  const messages: NeutralMessage[] = system === '' ? [] : [{ role: 'system', content: system }];
  for (const { role, content } of listOf(body['messages'])) {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
    if (role === 'assistant') messages.push({ role, content: textOf(blocks) });
    for (const block of role === 'assistant' ? [] : blocks) {
      const isResult = block['type'] === 'tool_result';
      messages.push(
        isResult ? { role: 'tool', content: textOf(block['content']) } : { role: 'user', content: textOf([block]) },
      );
    }
  }
  return messages;
}

interface Answering {
  readonly body: Json;
  readonly usage: CacheUsage;
  readonly parts: OpaqueParts<Thinking>;
  readonly texts: OpaqueParts<number>;
  readonly thinkingOf: Map<string, string>;
}

/** Events: platform.claude.com/docs/en/build-with-claude/streaming. */
function messagesStream(turn: Turn, { body, usage, parts, texts, thinkingOf }: Answering): string {
  const at = listOf(body['messages']).length;
  const blocks: { readonly start: Json; readonly deltas: readonly Json[] }[] = [];
  if (thinks(body)) {
    const text = `I weigh turn ${turn.number}: "quoted", \u2028 and ${texts.make(turn.number)}.`;
    const signature = parts.make({ text, prefix: prefixOf(body, at), position: 0 }, { prefix: 'Eq' });
    blocks.push({
      start: { type: 'thinking', thinking: '', signature: '' },
      deltas: [
        ...pieces(text).map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature },
      ],
    });
  }
  if (turn.say !== '') {
    const deltas = pieces(turn.say).map((text) => ({ type: 'text_delta', text }));
    blocks.push({ start: { type: 'text', text: '' }, deltas });
  }
  const ids = turn.calls.map(() => `toolu_${randomBytes(12).toString('hex')}`);
  for (const [index, { name, arguments: args }] of turn.calls.entries()) {
    const deltas = pieces(args).map((partial_json) => ({ type: 'input_json_delta', partial_json }));
    blocks.push({ start: { type: 'tool_use', id: ids[index], name, input: {} }, deltas });
  }
  const signature = blocks[0]?.deltas.find(({ type }) => type === 'signature_delta')?.['signature'];
  if (typeof signature === 'string' && ids[0] !== undefined) thinkingOf.set(ids[0], signature);
  const message = {
    ...{ id: `msg_${randomBytes(12).toString('hex')}`, type: 'message', role: 'assistant', model: body['model'] },
    ...{ content: [], stop_reason: null, stop_sequence: null, usage: { ...usage, output_tokens: 1 } },
  };
  const stop_reason = turn.calls.length > 0 ? 'tool_use' : 'end_turn';
  return namedEvents([
    { type: 'message_start', message },
    { type: 'ping' },
    ...blocks.flatMap(({ start, deltas }, index) => [
      { type: 'content_block_start', index, content_block: start },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 60 + turn.number } },
    { type: 'message_stop' },
  ]);
}

/**
 * The prompt cache: platform.claude.com/docs/en/build-with-claude/prompt-caching. The prefix is tools, system, messages; a request writes
 * one entry for each mark; a mark is read at the longest prefix that an earlier request wrote, at most 20 blocks back, itself counted;
 * nothing below a number of tokens that depends on the model is written; an entry lives five minutes from its last use. Another tool list
 * changes everything, another `tool_choice` or other thinking the messages.
 */
class PromptCache {
  /** Until when each prefix is kept, by its hash. */
  readonly #until = new Map<string, number>();

  usage(body: Json): CacheUsage {
    const model = String(body['model']);
    const placed = allBlocks(body);
    const parameters = JSON.stringify([body['tool_choice'], body['thinking'], body['output_config']]);
    const marked = placed.map(({ block }) => block['cache_control'] !== undefined);
    // One mark for the whole request counts for its last block.
    if (body['cache_control'] !== undefined && marked.length > 0) marked[marked.length - 1] = true;
    const hash = createHash('sha256').update(model);
    let tokens = 0;
    let isInMessages = false;
    const prefixes = placed.map(({ block, path }) => {
      if (path.startsWith('messages.') && !isInMessages) {
        isInMessages = true;
        hash.update(parameters);
      }
      const text = JSON.stringify({ ...block, cache_control: undefined });
      tokens += tokensIn(text);
      return { key: hash.update(text).copy().digest('hex'), tokens };
    });
    const read = Math.max(0, ...prefixes.map((_, at) => (marked[at] === true ? this.#readAt(prefixes, at) : 0)));
    const least = LEAST_TOKENS.find(([pattern]) => pattern.test(model))?.[1] ?? 4_096;
    const written = prefixes.filter((prefix, at) => marked[at] === true && prefix.tokens >= least);
    for (const { key } of written) this.#until.set(key, Date.now() + LIFE_MS);
    const end = Math.max(read, ...written.map((prefix) => prefix.tokens));
    return {
      input_tokens: tokens - end,
      cache_creation_input_tokens: end - read,
      cache_read_input_tokens: read,
    };
  }

  #readAt(prefixes: readonly { readonly key: string; readonly tokens: number }[], mark: number): number {
    const window = prefixes.slice(Math.max(0, mark - LOOK_BACK_BLOCKS + 1), mark + 1);
    const hit = window.findLast(({ key }) => (this.#until.get(key) ?? 0) > Date.now());
    if (hit === undefined) return 0;
    this.#until.set(hit.key, Date.now() + LIFE_MS);
    return hit.tokens;
  }
}
