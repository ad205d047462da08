// What we write on GitHub about red checks, and what is done to the service, or to GitHub's answer, at each of these writes.
import type { Fault, FaultRule, Moment } from '../github-double/faults.ts';
import { repository } from '../github-double/lookup.ts';
import type { GithubStage } from './github-stage.ts';

export type Scene = 'pull request' | 'default branch';
export type Write =
  | ('check run' | 'completed check run')
  | ('review' | 'comment' | 'shrunk comment' | 'folded comment' | 'folded review')
  | ('branch' | 'commit' | 'pull request');

/** All of a scene, from red checks to its end. */
export const WRITES: Readonly<Record<Scene, readonly Write[]>> = {
  'pull request': [
    ...(['check run', 'completed check run', 'review', 'comment'] as const),
    ...(['shrunk comment', 'folded comment', 'folded review'] as const),
  ],
  'default branch': ['check run', 'completed check run', 'branch', 'commit', 'pull request'],
};

/** Which request it is; the pull request of a scene is number 1. */
function requestOf(stage: GithubStage, write: Write, name: string): Pick<FaultRule, 'method' | 'path' | 'body'> {
  const below = (rest: string) => new RegExp(`^/repos/${name}${rest}$`);
  const graphql = (body: RegExp) => ({ method: 'POST', path: /^\/graphql$/, body });
  switch (write) {
    case 'check run':
      return { method: 'POST', path: below('/check-runs') };
    case 'completed check run':
      return { method: 'PATCH', path: below('/check-runs/\\d+'), body: /"conclusion":"neutral"/ };
    case 'review':
      return { method: 'POST', path: below('/pulls/1/reviews') };
    case 'comment':
      return { method: 'POST', path: below('/issues/1/comments') };
    case 'shrunk comment':
      return { method: 'PATCH', path: below('/issues/comments/\\d+'), body: /Green again/ };
    case 'folded comment':
      return graphql(folding(stage, 'IC', name));
    case 'folded review':
      return graphql(folding(stage, 'PRR', name));
    case 'branch':
      return { method: 'POST', path: below('/git/refs') };
    case 'commit':
      return graphql(new RegExp(`createCommitOnBranch[^]*"${name}"`));
    case 'pull request':
      return { method: 'POST', path: below('/pulls') };
  }
}

/** A node id of the double begins with the number of its repository. */
function folding({ double }: GithubStage, kind: 'IC' | 'PRR', name: string): RegExp {
  const begins = Buffer.from(`${repository(double.state, name).id}:`).toString('base64url');
  // The last sign holds bits of what comes next.
  return new RegExp(`minimizeComment[^]*"${kind}_${begins.slice(0, Math.floor((begins.length * 6) / 8))}`);
}

export interface Striker {
  /** Writes that were struck so far, in their order. */
  readonly struck: readonly Write[];
  /** Resolves when the service runs, after all that has befallen it so far. */
  up(): Promise<unknown>;
}

/** From now on the service dies at the first of each of these writes, one death after the other, and is started again. */
export function armKiller(stage: GithubStage, name: string, moment: Moment, writes: readonly Write[]): Striker {
  const struck: Write[] = [];
  let up: Promise<unknown> = Promise.resolve();
  for (const write of writes) {
    const act = () => {
      const killed = up.then(() => stage.service().end('SIGKILL'));
      up = killed.then(() => {
        struck.push(write);
        return stage.restart();
      });
      return killed;
    };
    stage.double.faults.add({ ...requestOf(stage, write, name), fault: { kind: 'meanwhile', moment, act } });
  }
  return { struck, up: () => up };
}

export type Loss = '502' | 'reset';

const LOST: Readonly<Record<Loss, Fault>> = {
  '502': { kind: 'html', when: 'after', status: 502 },
  reset: { kind: 'reset', when: 'after' },
};

/** The service lives, and hears nothing, or a 502, when the first of each of these writes was carried out. */
export function armLoss(stage: GithubStage, name: string, loss: Loss, writes: readonly Write[]): Striker {
  const rules = writes.map((write) => ({ write, ...requestOf(stage, write, name) }));
  for (const { write: _, ...request } of rules) stage.double.faults.add({ ...request, fault: LOST[loss] });
  return {
    get struck() {
      return rules.filter((rule) => wasAsked(stage, rule)).map(({ write }) => write);
    },
    up: async () => {},
  };
}

function wasAsked({ double }: GithubStage, { method, path, body }: Pick<FaultRule, 'method' | 'path' | 'body'>) {
  return double.requests.some(
    (asked) => asked.method === method && path.test(asked.path) && (body?.test(asked.body) ?? true),
  );
}

/** Writes whose answers can be lost in one scene without it taking too long: what is unsure is looked at again after a while. */
export const LOST_TOGETHER: readonly { readonly scene: Scene; readonly writes: readonly Write[] }[] = [
  { scene: 'pull request', writes: ['check run', 'review', 'shrunk comment'] },
  { scene: 'pull request', writes: ['completed check run', 'comment', 'folded comment', 'folded review'] },
  { scene: 'default branch', writes: ['check run', 'branch', 'pull request'] },
  { scene: 'default branch', writes: ['completed check run', 'commit'] },
];
