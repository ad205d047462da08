// `causeway doctor` with the model of each provider: what it prints, one line for each capability.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anthropicDouble } from '../../../packages/models/test/doubles/anthropic.ts';
import { ollamaDouble, vllmDouble } from '../../../packages/models/test/doubles/chat.ts';
import type { Double } from '../../../packages/models/test/doubles/double.ts';
import { azureDouble } from '../../../packages/models/test/doubles/openai.ts';
import { call, type Played } from '../../../packages/models/test/played.ts';
import { openInternet } from '../../model-doubles/internet.ts';
import { PROVIDERS, type Settings, settingsOnLoopback } from '../../model-doubles/providers.ts';
import { COMPILED } from '../../support/compiled.ts';
import { temporaryFolder } from '../../support/service.ts';
import { examine } from './doctor-ground.ts';

const MAIN = path.join(import.meta.dirname, '..', '..', '..', 'src', 'main.ts');
const NOTES: Played = { calls: [call('read_note', { note: 'first' }), call('read_note', { note: 'second' })] };
const TURNS: readonly Played[] = [NOTES, { say: 'river bridge' }];

const TOOLS = 'ok: tools: called, and the next turn was accepted';
const PARALLEL = 'ok: parallel calls: 2 in one turn';
const CACHED = /^ok: cached tokens: \d+ of \d+ in the second turn$/;
const NOT_CACHED = /^ok: cached tokens: none of \d+ reported in the second turn$/;
const EFFORT = "ok: effort: the provider's default (MODEL_EFFORT is not set)";
const PRICED = /^ok: price: \$0\.\d{6} for both turns \(per million tokens: \$[\d.]+ input, \$[\d.]+ cached/;
const UNPRICED = /^warn: price: unknown → Set MODEL_PRICES to a file of prices/;

type Line = string | RegExp;

/** What is said about the model of each provider; the first line without its seconds. */
const SAID: Readonly<Record<string, readonly Line[]>> = {
  'OpenAI, Responses': [
    /^ok: gpt-5\.5 answers within [\d.]+ s over the Responses API at \S+ \(MODEL_API=responses\)$/,
    TOOLS,
    PARALLEL,
    CACHED,
    EFFORT,
    PRICED,
  ],
  'OpenAI, chat as it refuses': [
    /over the Responses API at \S+ \(chat\.completions refuses this model with tools; MODEL_API=responses skips that attempt\)$/,
    ...[TOOLS, PARALLEL, CACHED, EFFORT, PRICED],
  ],
  'Gemini, OpenAI endpoint': [
    /over chat\.completions at \S+ \(MODEL_API=auto\)$/,
    TOOLS,
    PARALLEL,
    CACHED,
    EFFORT,
    PRICED,
  ],
  'LiteLLM in front of Gemini': [/over chat\.completions at /, TOOLS, PARALLEL, CACHED, EFFORT, UNPRICED],
  'DeepSeek, thinking': [/over chat\.completions at /, TOOLS, PARALLEL, CACHED, EFFORT, PRICED],
  'Kimi, thinking': [/over chat\.completions at /, TOOLS, PARALLEL, CACHED, EFFORT, PRICED],
  OpenRouter: [
    /over chat\.completions at /,
    ...[TOOLS, PARALLEL, CACHED, EFFORT, 'ok: price: $0.002475 for both turns, as reported by the endpoint'],
  ],
  Anthropic: [/over the Messages API at /, TOOLS, PARALLEL, CACHED, EFFORT, PRICED],
  'Azure, v1': [/over chat\.completions at /, TOOLS, PARALLEL, CACHED, EFFORT, UNPRICED],
  'Azure, deployment': [/over chat\.completions at /, TOOLS, PARALLEL, CACHED, EFFORT, UNPRICED],
  Ollama: [/over chat\.completions at /, TOOLS, PARALLEL, NOT_CACHED, EFFORT, UNPRICED],
  vLLM: [/over chat\.completions at /, TOOLS, PARALLEL, NOT_CACHED, EFFORT, UNPRICED],
};

describe('the doctor says of the model of', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;

  beforeAll(async () => {
    folder = await temporaryFolder();
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  async function linesFor(settings: Settings): Promise<readonly string[]> {
    const env = { PATH: process.env['PATH'] ?? '', DATA_DIR: folder.path, ...settings };
    const { findings } = await examine(env);
    return findings
      .filter(({ check }) => check === 'model')
      .map(({ status, found, repair }) => `${status}: ${found}${repair === '' ? '' : ` → ${repair}`}`);
  }

  it.for(PROVIDERS.map((provider) => [provider.name, provider] as const))('%s what works', async ([name, provider]) => {
    await using double = await provider.open(TURNS);
    const lines = await linesFor(settingsOnLoopback(provider, double.origin));
    expect(lines).toEqual((SAID[name] ?? []).map((line) => expect.stringMatching(patternOf(line))));
    expect(double.lost).toEqual([]);
  });

  it.for([
    ['Ollama', ollamaDouble],
    ['vLLM', vllmDouble],
  ] as const)('%s that it cannot call tools, and what to do', async ([, open]) => {
    const settings = (double: Double) => ({ OPENAI_BASE_URL: `${double.origin}/v1`, MODEL: 'gemma3:4b' });
    const repair =
      '→ Choose a MODEL that supports tool calls: "ollama show MODEL" lists the capability "tools"; start vLLM with';
    // It calls them all the same, in text.
    const written = JSON.stringify({ tool_calls: [{ name: 'read_note', arguments: { note: 'first' } }], content: '' });
    const ended = JSON.stringify({ tool_calls: [], content: 'river' });
    await using obeying = await open([{ say: written }, { say: ended }], { hasTools: false });
    expect((await linesFor(settings(obeying)))[1]).toContain(
      `warn: tools: gemma3:4b cannot call tools; they are described in the prompt instead, which works less well ${repair}`,
    );
    await using chatting = await open([{ say: 'Hello!' }], { hasTools: false });
    const lines = await linesFor(settings(chatting));
    expect(lines.find((line) => line.includes('tools:'))).toContain(`${repair}`);
    expect(lines.some((line) => line.startsWith('fail: '))).toBe(true);
  });

  it('a deployment at Azure without chat that Responses is the interface, at a path of its own', async () => {
    const azure = { key: 'key-of-contoso', deployment: 'coder', model: 'gpt-5.1-codex' };
    await using double = await azureDouble(TURNS, azure);
    await using internet = await openInternet(folder.path);
    internet.serve('contoso.openai.azure.com', double.handle);
    const address = 'https://contoso.openai.azure.com/openai/deployments/coder?api-version=2025-04-01-preview';
    const settings = { OPENAI_BASE_URL: address, OPENAI_API_KEY: azure.key, MODEL: azure.deployment };
    // In a process of its own: which proxy is used is decided at its start.
    const env = { PATH: process.env['PATH'], DATA_DIR: folder.path, ...COMPILED, ...internet.environment, ...settings };
    const printed = await promisify(execFile)(process.execPath, [MAIN, 'doctor'], { env }).catch((error) => error);
    expect(printed.stdout).toContain('over the Responses API at contoso.openai.azure.com (chat.completions refuses');
    expect(printed.stdout).toContain('tools: called, and the next turn was accepted');
    expect(double.refusals).toHaveLength(1);
  });

  it('Ollama that its calls come one at a time, and that an effort is taken', async () => {
    await using double = await ollamaDouble([{ calls: [call('read_note', { note: 'first' })] }, { say: 'river' }]);
    const settings = { OPENAI_BASE_URL: `${double.origin}/v1`, MODEL: 'qwen3.5:27b', MODEL_EFFORT: 'high' };
    const lines = await linesFor(settings);
    expect(lines).toContain('ok: parallel calls: none, one call per turn');
    expect(lines).toContain('ok: effort: high');
  });

  it('Anthropic that the model does not take an effort', async () => {
    await using double = await anthropicDouble(TURNS, { key: 'k' });
    const own = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: double.origin };
    const lines = await linesFor({ ...own, MODEL: 'claude-sonnet-4-5', MODEL_EFFORT: 'high' });
    expect(lines.join('\n')).toContain(
      "warn: effort: high is not accepted, so the provider's default is used → Unset MODEL_EFFORT",
    );
  });
});

function patternOf(line: Line): RegExp {
  return typeof line === 'string' ? new RegExp(`^${line.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')}`) : line;
}
