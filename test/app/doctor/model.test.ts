// `causeway doctor` with the model of each provider: what it prints, one line for each capability.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anthropicDouble } from '../../model-doubles/anthropic.ts';
import { ollamaDouble, vllmDouble } from '../../model-doubles/chat.ts';
import type { Double } from '../../model-doubles/double.ts';
import { PROVIDERS, type Settings, settingsOnLoopback } from '../../model-doubles/providers.ts';
import { call, type Played } from '../../support/played-model.ts';
import { temporaryFolder } from '../../support/service.ts';
import { examine } from './doctor-ground.ts';

const NOTES: Played = { calls: [call('read_note', { note: 'first' }), call('read_note', { note: 'second' })] };
const TURNS: readonly Played[] = [NOTES, { say: 'river bridge' }];

const TOOLS = 'ok: tools: called, and the turn after it took back what came with them';
const PARALLEL = 'ok: parallel calls: 2 in one turn';
const CACHED = /^ok: cached tokens: \d+ of the \d+ of the second turn$/;
const NOT_CACHED = /^ok: cached tokens: none of the \d+ of the second turn were reported$/;
const EFFORT = "ok: effort: the provider's own, MODEL_EFFORT is not set";
const PRICED = /^ok: price: \$0\.\d{6} for both turns, at \$[\d.]+ a million tokens, \$[\d.]+ from the cache/;
const UNPRICED = /^warn: price: not known → Give a file in MODEL_PRICES/;

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
    /over the Responses API at \S+ \(chat\.completions refused tools; MODEL_API=responses saves asking\)$/,
    ...[TOOLS, PARALLEL, CACHED, EFFORT, PRICED],
  ],
  'Gemini, OpenAI endpoint': [
    /over chat\.completions at \S+ \(MODEL_API=auto\)$/,
    TOOLS,
    PARALLEL,
    CACHED,
    EFFORT,
    UNPRICED,
  ],
  'LiteLLM in front of Gemini': [/over chat\.completions at /, TOOLS, PARALLEL, CACHED, EFFORT, UNPRICED],
  'DeepSeek, thinking': [/over chat\.completions at /, TOOLS, PARALLEL, CACHED, EFFORT, PRICED],
  'Kimi, thinking': [/over chat\.completions at /, TOOLS, PARALLEL, CACHED, EFFORT, UNPRICED],
  OpenRouter: [
    /over chat\.completions at /,
    ...[TOOLS, PARALLEL, CACHED, EFFORT, 'ok: price: $0.002475 for both turns, as the endpoint states it'],
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
    const repair = '→ Choose a MODEL that can: Ollama lists "tools" under "ollama show MODEL"; vLLM needs';
    // It calls them all the same, in text.
    const written = JSON.stringify({ tool_calls: [{ name: 'read_note', arguments: { note: 'first' } }], content: '' });
    const ended = JSON.stringify({ tool_calls: [], content: 'river' });
    await using obeying = await open([{ say: written }, { say: ended }], { hasTools: false });
    expect((await linesFor(settings(obeying)))[1]).toContain(
      `warn: tools: gemma3:4b cannot call tools; they are described in the text, which works worse ${repair}`,
    );
    await using chatting = await open([{ say: 'Hello!' }], { hasTools: false });
    const lines = await linesFor(settings(chatting));
    expect(lines.find((line) => line.includes('tools:'))).toContain(`${repair}`);
    expect(lines.some((line) => line.startsWith('fail: '))).toBe(true);
  });

  it('Ollama that its calls come one at a time, and that an effort is taken', async () => {
    await using double = await ollamaDouble([{ calls: [call('read_note', { note: 'first' })] }, { say: 'river' }]);
    const settings = { OPENAI_BASE_URL: `${double.origin}/v1`, MODEL: 'qwen3.5:27b', MODEL_EFFORT: 'high' };
    const lines = await linesFor(settings);
    expect(lines).toContain('ok: parallel calls: none, one call a turn');
    expect(lines).toContain('ok: effort: high');
  });

  it('Anthropic that the model does not take an effort', async () => {
    await using double = await anthropicDouble(TURNS, { key: 'k' });
    const own = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: double.origin };
    const lines = await linesFor({ ...own, MODEL: 'claude-sonnet-4-5', MODEL_EFFORT: 'high' });
    expect(lines.join('\n')).toContain(
      "warn: effort: high is not taken, the provider's own is used → Unset MODEL_EFFORT",
    );
  });
});

function patternOf(line: Line): RegExp {
  return typeof line === 'string' ? new RegExp(`^${line.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')}`) : line;
}
