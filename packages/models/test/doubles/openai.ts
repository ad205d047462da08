// Doubles of OpenAI and of Azure OpenAI: the Responses API, chat.completions as it refuses newer models, and Azure's paths and keys.
import { randomBytes } from 'node:crypto';
import { type Turns, usageOfTurn } from '../played.ts';
import { chatConversation, chatStream, openAiChatFault, openAiError } from './chat.ts';
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

interface Reasoning {
  readonly id: string;
  readonly model: string;
}

/** What one endpoint that speaks Responses has given out. */
interface Issued {
  readonly parts: OpaqueParts<Reasoning>;
  /** The reasoning item that an output item came with, by the id of that item. */
  readonly reasoningOf: Map<string, string>;
  readonly cache: PrefixCache;
}

/**
 * OpenAI. chat.completions and Responses lie on one host; which of them works depends on the model.
 * https://developers.openai.com/api/docs/guides/reasoning and the issues named at each rule.
 */
export async function openAiDouble(turns: Turns, { key }: { readonly key: string }): Promise<Double> {
  const issued = newIssued();
  const dialect: Dialect = {
    lost: [],
    refuse: (received) => {
      const { method, path, headers } = received;
      // platform.openai.com/docs/guides/error-codes, 401; the code is inferred.
      if (headers['authorization'] !== `Bearer ${key}`) {
        return openAiError(401, 'Incorrect API key provided.', { code: 'invalid_api_key' });
      }
      if (method === 'POST' && path === '/v1/responses') return responsesFault(received, issued);
      if (method === 'POST' && path === '/v1/chat/completions') return chatFault(received);
      return openAiError(404, `Invalid URL (${method} ${path})`);
    },
    conversation: (received) =>
      received.path === '/v1/responses' ? responsesConversation(received) : chatConversation(received),
    stream: (turn, received) =>
      received.path === '/v1/responses' ? responsesStream(turn, received, issued) : plainChatStream(turn, received),
  };
  return await openDouble(dialect, turns, () => issued.parts.all());
}

function newIssued(): Issued {
  return { parts: new OpaqueParts(), reasoningOf: new Map(), cache: new PrefixCache() };
}

function plainChatStream(turn: Turn, { body }: Received): string {
  const calls = turn.calls.map((call) => ({ ...call, id: `call_${randomBytes(12).toString('hex')}` }));
  return chatStream({ model: String(body['model']), say: turn.say, calls, usage: usageOfTurn(turn.number) });
}

function chatFault(received: Received): Refusal | null {
  return responsesOnly(received.body) ?? openAiChatFault(received);
}

/**
 * Models that chat.completions refuses.
 * -pro and the first -codex: alvinunreal/tmuxai#82 has the whole body; later -codex: egoist/chatwise-releases#1256.
 * 5.4 with tools and effort: pipecat-ai/pipecat#4043. 5.5 without effort too: jeffdafoe/llm-memory-api#178. 5.6 without effort too, and
 * "none" passes: BerriAI/litellm#34569.
 */
function responsesOnly(body: Json): Refusal | null {
  const model = String(body['model']);
  if (/^gpt-5\.3-codex/.test(model)) {
    const words =
      'This is not a chat model and thus not supported in the v1/chat/completions endpoint. Did you mean to use v1/completions?';
    return openAiError(404, words, { param: 'model' });
  }
  if (/-codex|-pro$/.test(model)) {
    const words = 'This model is only supported in v1/responses and not in v1/chat/completions.';
    return openAiError(404, words, { param: 'model' });
  }
  const version = /^gpt-5\.([456])/.exec(model)?.[1];
  if (version === undefined || listOf(body['tools']).length === 0) return null;
  const effort = body['reasoning_effort'];
  if (effort === 'none' || (version === '4' && effort === undefined)) return null;
  const start = `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions.`;
  const end =
    version === '6'
      ? "To use function tools, use /v1/responses or set reasoning_effort to 'none'."
      : 'Please use /v1/responses instead.';
  return openAiError(400, `${start} ${end}`, { param: 'reasoning_effort' });
}

/** Prefixes of ids: "Expected an ID that begins with 'fc'", openai/openai-agents-python and others quote it. */
const ID_PREFIX: Readonly<Record<string, string>> = { function_call: 'fc', reasoning: 'rs', message: 'msg' };

/**
 * What the Responses API refuses.
 * `messages`: aaif-goose/goose#2564. Ids of calls over 64 characters: AnswerDotAI/fastllm#45.
 * Reasoning that is neither stored nor given back encrypted: openai/openai-agents-js#546.
 * Encrypted reasoning that was altered: openai/codex#8145. Of another model: the same (inferred from Wei-Shaw/sub2api#3038).
 * A call without the reasoning that it came with: "was provided without its required 'reasoning' item", only where it goes by its id.
 * Reasoning that nothing follows: "without its required following item", openai-agents documentation, `reasoning_item_id_policy`.
 * Calls without outputs: router-for-me/CLIProxyAPI#2368; outputs without calls: microsoft/vscode#320060.
 */
function responsesFault({ body }: Received, { parts, reasoningOf }: Issued): Refusal | null {
  if (body['messages'] !== undefined) {
    const words =
      "Unsupported parameter: 'messages'. In the Responses API, this parameter has moved to 'input'. Try again with the new parameter.";
    return openAiError(400, words, { param: 'messages', code: 'unsupported_parameter' });
  }
  for (const [at, tool] of listOf(body['tools']).entries()) {
    if (typeof tool['name'] !== 'string') {
      return openAiError(400, `Missing required parameter: 'tools[${at}].name'.`, {
        param: `tools[${at}].name`,
        code: 'missing_required_parameter',
      });
    }
  }
  const input = listOf(body['input']);
  for (const [at, item] of input.entries()) {
    const type = typeof item['type'] === 'string' ? item['type'] : 'message';
    const id = typeof item['id'] === 'string' ? item['id'] : '';
    const prefix = ID_PREFIX[type] ?? '';
    if (id !== '' && !id.startsWith(prefix)) {
      const words = `Invalid 'input[${at}].id': '${id}'. Expected an ID that begins with '${prefix}'.`;
      return openAiError(400, words, { param: `input[${at}].id`, code: 'invalid_value' });
    }
    const callId = String(item['call_id'] ?? '');
    if (callId.length > 64) {
      const words = `Invalid 'input[${at}].call_id': string too long. Expected a string with maximum length 64, but got a string with length ${callId.length} instead.`;
      return openAiError(400, words, { param: `input[${at}].call_id`, code: 'string_above_max_length' });
    }
    const fault = type === 'reasoning' ? reasoningFault(item, input[at + 1], { body, parts }) : null;
    if (fault !== null) return fault;
    const required = reasoningOf.get(id);
    if (required !== undefined && !input.slice(0, at).some((before) => before['id'] === required)) {
      const words = `Item '${id}' of type '${type}' was provided without its required 'reasoning' item: '${required}'.`;
      return openAiError(400, words, { param: 'input' });
    }
  }
  return unpairedFault(input);
}

function reasoningFault(
  item: Json,
  next: Json | undefined,
  { body, parts }: { readonly body: Json; readonly parts: OpaqueParts<Reasoning> },
): Refusal | null {
  const id = String(item['id'] ?? '');
  const sealed = item['encrypted_content'];
  if (typeof sealed !== 'string') {
    const words = `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`;
    return openAiError(404, words, { param: 'input' });
  }
  if (parts.of(sealed)?.model !== body['model']) {
    const words = `The encrypted content ${sealed.slice(0, 4)}...${sealed.slice(-4)} could not be verified.`;
    return openAiError(400, words, { code: 'invalid_encrypted_content' });
  }
  if (next?.['type'] !== 'function_call' && next?.['role'] !== 'assistant') {
    const words = `Item '${id}' of type 'reasoning' was provided without its required following item.`;
    return openAiError(400, words, { param: 'input' });
  }
  return null;
}

function unpairedFault(input: readonly Json[]): Refusal | null {
  const idsOf = (type: string) => input.filter((item) => item['type'] === type).map(({ call_id: id }) => String(id));
  const [asked, answered] = [idsOf('function_call'), idsOf('function_call_output')];
  const open = asked.find((id) => !answered.includes(id));
  if (open !== undefined) {
    return openAiError(400, `No tool output found for function call ${open}.`, { param: 'input' });
  }
  const orphan = answered.find((id) => !asked.includes(id));
  if (orphan === undefined) return null;
  const words = `No tool call found for function call output with call_id ${orphan}.`;
  return openAiError(400, words, { param: 'input' });
}

function responsesConversation({ body }: Received): readonly NeutralMessage[] {
  const instructions = typeof body['instructions'] === 'string' ? body['instructions'] : '';
  const messages: NeutralMessage[] = instructions === '' ? [] : [{ role: 'system', content: instructions }];
  let isOwn = false;
  for (const item of listOf(body['input'])) {
    const type = item['type'] ?? 'message';
    const isAssistant = type === 'reasoning' || type === 'function_call' || item['role'] === 'assistant';
    // Items of one turn follow one another.
    if (isAssistant && !isOwn) messages.push({ role: 'assistant', content: '' });
    if (item['role'] === 'assistant') {
      const last = messages.pop();
      messages.push({ role: 'assistant', content: `${last?.content ?? ''}${textOf(item['content'])}` });
    }
    if (type === 'function_call_output') messages.push({ role: 'tool', content: textOf(item['output']) });
    else if (!isAssistant) {
      const role = item['role'] === 'user' ? 'user' : 'system';
      messages.push({ role, content: textOf(item['content']) });
    }
    isOwn = isAssistant;
  }
  return messages;
}

/** Events and their fields: https://developers.openai.com/api/reference/resources/responses/streaming-events. */
function responsesStream(turn: Turn, { body }: Received, { parts, reasoningOf, cache }: Issued): string {
  const model = String(body['model']);
  const suffix = () => randomBytes(12).toString('hex');
  const reasoning = { id: `rs_${suffix()}`, model };
  const isSealed = Array.isArray(body['include']) && body['include'].includes('reasoning.encrypted_content');
  const output: Json[] = [
    {
      ...{ id: reasoning.id, type: 'reasoning', summary: [] },
      ...(isSealed ? { encrypted_content: parts.make(reasoning, { prefix: 'gAAAAAB' }) } : {}),
    },
  ];
  if (turn.say !== '') {
    const content = [{ type: 'output_text', text: turn.say, annotations: [] }];
    output.push({ id: `msg_${suffix()}`, type: 'message', role: 'assistant', status: 'completed', content });
  }
  for (const { name, arguments: args } of turn.calls) {
    const id = `fc_${suffix()}`;
    output.push({ id, type: 'function_call', status: 'completed', call_id: `call_${suffix()}`, name, arguments: args });
  }
  for (const { id } of output.slice(1)) reasoningOf.set(String(id), reasoning.id);
  let sequence = 0;
  const event = (type: string, more: Json): Json & { readonly type: string } => ({
    type,
    sequence_number: sequence++,
    ...more,
  });
  const shell = {
    id: `resp_${suffix()}`,
    object: 'response',
    model,
    output: [],
    status: 'in_progress',
    store: body['store'],
  };
  const events = [event('response.created', { response: shell }), event('response.in_progress', { response: shell })];
  for (const [at, item] of output.entries()) events.push(...itemEvents(item, at, event));
  const usage = cache.usage(model, [body['tools'], body['instructions'], ...listOf(body['input'])], output);
  const response = { ...shell, output, status: 'completed', usage };
  return namedEvents([...events, event('response.completed', { response })]);
}

function itemEvents(
  item: Json,
  at: number,
  event: (type: string, more: Json) => Json & { readonly type: string },
): readonly (Json & { readonly type: string })[] {
  const of = { item_id: item['id'], output_index: at };
  const added = (open: Json) => event('response.output_item.added', { output_index: at, item: { ...item, ...open } });
  const done = () => event('response.output_item.done', { output_index: at, item });
  if (item['type'] === 'function_call') {
    const args = String(item['arguments']);
    return [
      added({ arguments: '', status: 'in_progress' }),
      ...pieces(args).map((delta) => event('response.function_call_arguments.delta', { ...of, delta })),
      event('response.function_call_arguments.done', { ...of, arguments: args }),
      done(),
    ];
  }
  if (item['type'] === 'reasoning') return [added({ encrypted_content: undefined }), done()];
  const text = textOf(item['content']);
  const part = { type: 'output_text', text: '', annotations: [] };
  return [
    added({ content: [], status: 'in_progress' }),
    event('response.content_part.added', { ...of, content_index: 0, part }),
    ...pieces(text).map((delta) => event('response.output_text.delta', { ...of, content_index: 0, delta })),
    event('response.output_text.done', { ...of, content_index: 0, text }),
    event('response.content_part.done', { ...of, content_index: 0, part: { ...part, text } }),
    done(),
  ];
}

/**
 * OpenAI's cache: the longest prefix that an earlier request of the model had, from 1,024 tokens on; from GPT-5.6 on what is written is
 * told too. https://developers.openai.com/api/docs/guides/prompt-caching.
 */
class PrefixCache {
  readonly #earlier = new Map<string, string[]>();

  usage(model: string, prompt: readonly unknown[], output: readonly Json[]): Json {
    const text = prompt.map((part) => JSON.stringify(part) ?? '').join('\n');
    const earlier = this.#earlier.get(model) ?? [];
    const longest = Math.max(0, ...earlier.map((other) => tokensIn(text.slice(0, commonLength(text, other)))));
    const all = tokensIn(text);
    const cached = longest < 1_024 ? 0 : Math.min(longest, all);
    this.#earlier.set(model, [...earlier, text]);
    const details = { cached_tokens: cached, cache_write_tokens: all < 1_024 ? 0 : all - cached };
    const written = tokensIn(JSON.stringify(output));
    return {
      ...{ input_tokens: all, input_tokens_details: details },
      ...{ output_tokens: written, output_tokens_details: { reasoning_tokens: 32 }, total_tokens: all + written },
    };
  }
}

function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

export interface AzureOptions {
  readonly key: string;
  /** Name of the deployment, and the model behind it. */
  readonly deployment: string;
  readonly model: string;
}

/**
 * Azure OpenAI: `/openai/v1/…`, where the model is the deployment's name and no version is asked for, and
 * `/openai/deployments/NAME/…?api-version=…`. https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle.
 * The key goes as `api-key`; v1 takes it as a bearer too, as that page's first example does; a deployment's path takes only Entra tokens
 * there: 401 with the words of vercel/chatbot#588.
 * No version: 404 "Resource not found", MicrosoftDocs/azure-docs#114602, ThinkInAIXYZ/deepchat#262. Unknown deployment: chatboxai/chatbox#646.
 * Models without chat: langchain-ai/langchain-azure#228.
 */
export async function azureDouble(turns: Turns, { key, deployment, model }: AzureOptions): Promise<Double> {
  const issued = newIssued();
  const error = (status: number, code: string, message: string): Refusal => ({
    status,
    body: { error: { code, message } },
  });
  const dialect: Dialect = {
    lost: [],
    refuse: (received) => {
      const { path, query, headers, body } = received;
      const isV1 = path.startsWith('/openai/v1/');
      const isBearer = isV1 && headers['authorization'] === `Bearer ${key}`;
      if (headers['api-key'] !== key && !isBearer) {
        const words =
          'Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.';
        return error(401, '401', words);
      }
      const named = isV1 ? body['model'] : /^\/openai\/deployments\/([^/]+)\//.exec(path)?.[1];
      if (named === undefined || (!isV1 && query.get('api-version') === null)) {
        return error(404, '404', 'Resource not found');
      }
      if (named !== deployment) {
        const words =
          'The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.';
        return error(404, 'DeploymentNotFound', words);
      }
      if (isV1 && path.endsWith('/responses')) return responsesFault(received, issued);
      if (!path.endsWith('/chat/completions')) return error(404, '404', 'Resource not found');
      if (/-codex|-pro$/.test(model)) {
        const words = `The chatCompletion operation does not work with the specified model, ${model}. Please choose different model and try again. You can learn more about which models can be used with each operation here: https://go.microsoft.com/fwlink/?linkid=2197993.`;
        return error(400, 'OperationNotSupported', words);
      }
      return responsesOnly({ ...body, model }) ?? openAiChatFault(received);
    },
    conversation: (received) =>
      received.path.endsWith('/responses') ? responsesConversation(received) : chatConversation(received),
    stream: (turn, received) =>
      received.path.endsWith('/responses')
        ? responsesStream(turn, received, issued)
        : plainChatStream(turn, { ...received, body: { ...received.body, model } }),
  };
  return await openDouble(dialect, turns, () => issued.parts.all());
}
