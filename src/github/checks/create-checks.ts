// The door to the checks of GitHub: what each question of the house is answered from.

import type { Checks } from '../../core/check.ts';
import type { GithubProject } from '../../core/project.ts';
import { type Asking, type ChecksDeps, inWordsOfThePort } from './ask.ts';
import { checkRules } from './check-rules.ts';
import { changedFiles, commitRange, leadsTo } from './commit-range.ts';
import { findPlace } from './find-place.ts';
import { listChecks } from './list-checks.ts';
import { pastChecks } from './past-checks.ts';
import { readWords } from './read-words.ts';
import type { RunMemory } from './workflow-runs.ts';

export function createChecks(deps: ChecksDeps): Checks {
  const runs: RunMemory = new Map();
  const asked = <T>(project: GithubProject, signal: AbortSignal, answer: (asking: Asking) => Promise<T>): Promise<T> =>
    inWordsOfThePort(deps, answer({ deps, project, signal, runs }));
  return {
    self: async (signal) => {
      const { botId, botLogin } = await inWordsOfThePort(deps, deps.clients.identity(signal));
      return { id: botId, login: botLogin };
    },
    rules: (project, signal) => asked(project, signal, checkRules),
    of: (project, sha, signal) => asked(project, signal, (asking) => listChecks(asking, sha)),
    place: (project, head, signal) => asked(project, signal, (asking) => findPlace(asking, head)),
    said: (project, check, signal, logBytes) => asked(project, signal, (asking) => readWords(asking, check, logBytes)),
    changed: (project, head, signal) => asked(project, signal, (asking) => changedFiles(asking, head)),
    leads: (project, ends, signal) => asked(project, signal, (asking) => leadsTo(asking, ends)),
    range: (project, ends, signal) => asked(project, signal, (asking) => commitRange(asking, ends)),
    past: (project, page, signal) => asked(project, signal, (asking) => pastChecks(asking, page)),
  };
}
