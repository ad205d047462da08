// What an operator's tracing sees of a report: from the request to each question and tool, and not a word of what was said.

import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ANSWERS_AS, modelEndpoint } from '../packages/models/test/model-endpoint.ts';
import { usageOfTurn } from '../packages/models/test/played.ts';
import { createLog } from '../src/log.ts';
import { createMetrics } from '../src/metrics.ts';
import { modelHouse } from './support/model-house.ts';
import { plays } from './support/played-model.ts';
import { temporaryFolder } from './support/service.ts';
import { FIX_TURNS, SHOP, SHOP_REPORT } from './support/shop-fix.ts';
import { type KeptSpan, startTracing, type Tracing } from './support/tracing.ts';

let tracing: Tracing;
beforeEach(() => {
  tracing = startTracing();
});
afterEach(() => tracing[Symbol.dispose]());

const silent = createLog({ level: 'silent' });
const metrics = () => createMetrics({ log: silent, now: () => new Date() });
const named = (name: string) => tracing.spans.filter((span) => span.name === name);
const NEVER = new AbortController().signal;

it('shows a run as one trace: the job, the invocation of the agent, each question with its tokens, each tool', async () => {
  await using folder = await temporaryFolder();
  await using endpoint = await modelEndpoint(plays(FIX_TURNS));
  await using house = await modelHouse({ files: SHOP, dataDir: folder.path, report: SHOP_REPORT });
  const { runId } = await house.investigate(endpoint.url, 'one');

  const [job] = named('job run');
  expect(job).toMatchObject({ kind: SpanKind.CONSUMER, parent: null, attributes: { 'causeway.run.id': runId } });
  expect(new Set(tracing.spans.filter(({ traceId }) => traceId !== job?.traceId))).toEqual(new Set());
  expect(named('invoke_agent causeway')).toEqual([
    expect.objectContaining({
      parent: 'job run',
      attributes: expect.objectContaining({ 'gen_ai.operation.name': 'invoke_agent', 'causeway.run.id': runId }),
    }),
  ]);
  const chats = named('chat test-model');
  expect(chats).toHaveLength(endpoint.requests.length);
  for (const [turn, chat] of chats.entries()) {
    // The last question is the first of a second look.
    const usage = usageOfTurn(turn === chats.length - 1 ? 0 : turn);
    expect(chat).toMatchObject({ kind: SpanKind.CLIENT, parent: 'invoke_agent causeway' });
    expect(chat.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'test-model',
      'gen_ai.response.model': ANSWERS_AS,
      'gen_ai.usage.input_tokens': usage.prompt_tokens,
      'gen_ai.usage.output_tokens': usage.completion_tokens,
      'gen_ai.usage.cache_read.input_tokens': usage.prompt_tokens_details.cached_tokens,
      'gen_ai.response.finish_reasons': ['tool_calls'],
    });
  }
  const tools = tracing.spans.filter(({ attributes }) => attributes['gen_ai.operation.name'] === 'execute_tool');
  expect(new Set(tools.map(({ name }) => name))).toEqual(
    new Set(
      ['search', 'read_files', 'blame', 'history', 'replace', 'rename_file', 'create_file', 'delete_file'].map(
        (tool) => `execute_tool ${tool}`,
      ),
    ),
  );
  expect(tracing.spans.every(({ isEnded }) => isEnded)).toBe(true);
  expectNoWords(tracing.spans);
});

/** Neither the report, nor the source, nor what the model said. */
function expectNoWords(spans: readonly KeptSpan[]): void {
  const all = JSON.stringify(spans.map(({ name, attributes, status, others }) => [name, attributes, status, others]));
  for (const word of ['discount', 'totalOf', 'Checkout', 'total.js', 'guest']) expect(all).not.toContain(word);
}

it('names a failure by its code alone, since its words may quote a report', async () => {
  const failing = metrics().countHandler({
    handle: () => Promise.reject(new TypeError('cannot read "discount"')),
    dead: async () => {},
  });
  const job = { id: 'job_1', kind: 'head', subject: 'head_1', attempt: 1 } as const;
  await expect(failing.handle(job, NEVER)).rejects.toThrow('discount');
  const [span] = named('job head');
  expect(span).toMatchObject({ isEnded: true, status: { code: SpanStatusCode.ERROR }, others: [] });
  expect(span?.attributes).toMatchObject({ 'error.type': 'TypeError', 'causeway.head.id': 'head_1' });
  expectNoWords(tracing.spans);
});

it('names a request by its route, and links to a stranger’s trace without going on with it', async () => {
  const { traceRequest, tellAnswered } = metrics();
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  const request = new Request('http://127.0.0.1/issues/iss_1?q=discount', { headers: { traceparent } });
  await traceRequest(request, async () => {
    tellAnswered({ method: 'GET', route: '/issues/:issueId', status: 200, ms: 1 });
    return new Response();
  });
  const [span] = named('GET /issues/:issueId');
  expect(span).toMatchObject({ kind: SpanKind.SERVER, parent: null });
  expect(span?.traceId).not.toBe('a'.repeat(32));
  expect(span?.links).toEqual([
    { context: expect.objectContaining({ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) }) },
  ]);
  expectNoWords(tracing.spans);
});
