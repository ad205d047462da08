// One attempt at an answer: one request under guard; a whole turn, or `AttemptFailed`.
import { OpenAI } from 'openai';
import type { ModelRequest, ModelTurn, TurnUsage } from '../ports/model.ts';
import { type Dialect, seemsUnableToCall } from './dialect.ts';
import { guardedFetch } from './exchange.ts';
import { AttemptFailed } from './fault.ts';
import { readJsonAnswer, readWrittenCalls } from './json-mode.ts';
import { nameCalls } from './name-calls.ts';
import { type Answer, addChunk, type Draft, finishAnswer, newDraft, size } from './read-answer.ts';
import { readFailure } from './read-failure.ts';
import { type RequestBody, requestBody } from './request-body.ts';
import { estimatedUsage } from './usage.ts';
import { Watch } from './watch.ts';

export interface Endpoint {
  readonly model: string;
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly idleMs: number;
  readonly now: () => Date;
  readonly dialect: Dialect;
}

/** Rejects with the reason of `signal` when that aborts, else only with `AttemptFailed`. */
export async function attempt(
  request: ModelRequest,
  endpoint: Endpoint,
  limits: { readonly leftMs: number; readonly signal: AbortSignal },
): Promise<ModelTurn> {
  const { signal } = limits;
  using watch = new Watch({ idleMs: endpoint.idleMs, leftMs: limits.leftMs });
  const body = requestBody(endpoint.model, request, endpoint.dialect);
  const draft = newDraft();
  try {
    await stream(body, endpoint, { watch, draft, signal });
    signal.throwIfAborted();
    const { content, calls } = interpret(finishAnswer(draft), request, { endpoint, body });
    const turn = { content, toolCalls: nameCalls(calls, request), usage: usageOf(draft, body) };
    return draft.model === '' ? turn : { ...turn, model: draft.model };
  } catch (error) {
    signal.throwIfAborted();
    const failed = watch.fault ?? readFailure(error, { ...endpoint, sent: body.sent, now: endpoint.now() });
    if (watch.hasBegun && draft.chunks > 0) failed.spent = usageOf(draft, body);
    throw failed;
  }
}

interface Reading {
  readonly watch: Watch;
  readonly draft: Draft;
  readonly signal: AbortSignal;
}

/** Fills `draft`. The library ends an aborted stream without an error, and a cut one too: the caller asks `draft` whether it is whole. */
async function stream(body: RequestBody, endpoint: Endpoint, { watch, draft, signal }: Reading): Promise<void> {
  const client = clientFor(endpoint, watch);
  try {
    const options = { signal: AbortSignal.any([signal, watch.signal]) };
    for await (const chunk of await client.chat.completions.create(body.params, options)) addChunk(draft, chunk);
    if (watch.fault !== null && draft.finish === '') throw watch.fault;
  } catch (error) {
    // What breaks after the end of the answer costs the figures of usage at most.
    if (draft.finish === '' || error instanceof AttemptFailed) throw error;
  }
}

/** Everything that the library would read from the environment is given, so that only the configuration counts. */
function clientFor(endpoint: Endpoint, watch: Watch): OpenAI {
  return new OpenAI({
    // Local servers need no key, but the library does.
    apiKey: endpoint.apiKey || 'none',
    baseURL: endpoint.baseUrl,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    // Its own deadline ends with the headers; the watch keeps all of them.
    timeout: 2 ** 31 - 1,
    logLevel: 'off',
    fetch: guardedFetch(watch),
  });
}

interface Context {
  readonly endpoint: Endpoint;
  readonly body: RequestBody;
}

function interpret(answer: Answer, request: ModelRequest, { endpoint, body }: Context): Answer {
  const { dialect } = endpoint;
  if (request.tools.length === 0) return answer;
  if (!body.sent.has('tools')) return answer.calls.length > 0 ? answer : readJsonAnswer(answer.content, request);
  if (answer.calls.length > 0) {
    dialect.hasCalled = true;
    return answer;
  }
  const written = readWrittenCalls(answer.content, request.tools);
  if (written !== null) {
    dialect.tools = 'json';
    return written;
  }
  if (request.toolChoice === 'auto' && seemsUnableToCall(dialect)) {
    const detail = 'It answers with text where it should call tools.';
    throw new AttemptFailed({ kind: 'unsupported', feature: 'tools', detail });
  }
  return answer;
}

function usageOf(draft: Draft, { params }: RequestBody): TurnUsage {
  return (
    draft.usage ??
    estimatedUsage(JSON.stringify(params.messages).length + JSON.stringify(params.tools ?? []).length, size(draft))
  );
}
