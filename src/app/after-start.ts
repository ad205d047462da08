// What a service does once it answers: loads the code that it did not need for that, and gives back the memory that starting took.
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ModelConfig } from '../config.ts';
import { chooseEndpoint, type Wire } from '../models/endpoint.ts';
import { untilAtRest } from './at-rest.ts';
import { writeCompiledCode } from './compiled-code.ts';

/** Whoever waited for the start comes first. */
const PAUSE_MS = 500;

type Part = () => Promise<unknown>;

/** What the first event, the first investigation and the first page are handled with. */
const OVER_GITHUB = [
  () => import('../github/app.ts'),
  () => import('../github/intake/open-probot.ts'),
  () => import('./github-handlers.ts'),
];
const ANSWERING = [() => import('../web/create-web.ts')];
const WORKING = [() => import('../services/run-investigation.ts')];
const WITH_MODEL = [() => import('../tools/toolbox.ts')];
const OVER_WIRE: Readonly<Record<Wire, Part>> = {
  chat: () => import('../models/chat.ts'),
  responses: () => import('../models/responses.ts'),
  messages: () => import('../models/messages.ts'),
  bedrock: () => import('../models/messages.ts'),
  vertex: () => import('../models/messages.ts'),
};

export interface AfterStart {
  readonly isGithub: boolean;
  /** Whether it answers people and programs, and whether it takes work. */
  readonly answers: boolean;
  readonly works: boolean;
  readonly model: ModelConfig;
}

/**
 * So that no first request waits, and hardly any meets a file that an upgrade has replaced under the running service: what few ask for
 * (the API's description, links to monitoring) is still read when it is asked for. Disposing it waits for what is
 * just being loaded. A part that cannot be loaded ends the process, as it would have at its start.
 */
export function loadRest(options: AfterStart): AsyncDisposable {
  const stop = new AbortController();
  const work = load(partsFor(options), stop.signal);
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await work;
    },
  };
}

function partsFor({ isGithub, answers, works, model }: AfterStart): readonly Part[] {
  return [
    ...(isGithub ? OVER_GITHUB : []),
    ...(answers ? ANSWERING : []),
    ...(works ? WORKING : []),
    ...(works && model.kind !== 'none' ? WITH_MODEL : []),
    ...(works && model.kind === 'endpoint' ? [OVER_WIRE[chooseEndpoint(model).wire]] : []),
  ];
}

async function load(parts: readonly Part[], signal: AbortSignal): Promise<void> {
  const pause: Part = () => wait(PAUSE_MS, undefined, { ref: false, signal }).catch(() => undefined);
  // One after the other, so that requests come between them.
  for (const part of [pause, ...parts]) {
    if (signal.aborted) return;
    await part();
  }
  // Both stop everything else: at 200 deliveries a second every fiftieth waited for them.
  await untilAtRest(signal);
  if (signal.aborted) return;
  writeCompiledCode();
  giveBackMemory();
}

/**
 * To load 1,500 files V8 makes room for young objects that it does not give back while nothing happens: 60 of 200 MB. `last-resort` is the
 * collection that does; it takes a tenth of a second, once. What is needed later is taken again.
 */
function giveBackMemory(): void {
  setFlagsFromString('--expose-gc');
  const collect: NodeJS.GCFunction = runInNewContext('gc');
  void collect({ type: 'major', execution: 'async', flavor: 'last-resort' });
}
