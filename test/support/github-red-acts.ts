// What people do around red checks: they ask, press, fork, and come back later; and what of ours stands there then.
import { repository } from '../github-double/lookup.ts';
import type { Comment, Issue, Review, ReviewComment } from '../github-double/state.ts';

import { only, type RedDesk, type RedPull, redPull } from './github-red-desk.ts';
import type { GithubStage } from './github-stage.ts';

/** A change beside the shop's bug, so that its repair lies within the diff of the pull request that makes it. */
export const BESIDE_THE_BUG: Readonly<Record<string, string>> = {
  'src/coupons.js': `${[
    "import { percentOf } from './money.js';",
    '',
    'const COUPONS = new Map([',
    "  ['WELCOME10', { percent: 10, minimum: 0 }],",
    "  ['SPRING15', { percent: 15, minimum: 2000 }],",
    "  ['STAFF30', { percent: 30, minimum: 0 }],",
    ']);',
    '',
    'export function isCoupon(code) {',
    '  return COUPONS.has(code.trim().toUpperCase());',
    '}',
    '',
    'export function discountFor(code, cents) {',
    '  const { percent, minimum } = COUPONS.get(code);',
    '  if (cents <= minimum) return 0;',
    '  return percentOf(cents, percent);',
    '}',
  ].join('\n')}\n`,
};

export interface RedActs {
  /** Says something on a pull request, seconds after everything before, and waits for rest. */
  say(number: number, by: string, body: string): Promise<Comment>;
  /** Presses a button of our check run on that commit, and waits for rest. */
  press(sha: string, by: string, identifier?: string): Promise<void>;
  /** A fork of `ola`'s with a commit on it, and its pull request. */
  forkPull(
    files?: Readonly<Record<string, string>>,
    named?: { readonly branch: string; readonly title: string },
  ): Promise<RedPull>;
  /** Our only comment there. */
  onlyComment(number: number): Comment;
  /** Pull requests of our bot, oldest first. */
  pulls(): readonly Issue[];
  /** Of our bot, oldest first. */
  reviews(number: number): readonly Review[];
  suggestions(number: number): readonly ReviewComment[];
  /** What our bot answered a comment with, such as `eyes`. */
  reactions(to: Comment): readonly string[];
}

export function redActs(stage: GithubStage, { name }: Pick<RedDesk, 'name'>): RedActs {
  const { people, app, state } = stage.double;
  /** GitHub's times are whole seconds: within one, nobody has seen what came before. */
  const later = () => state.clock.advance(2_000);
  const own = ({ authorId }: { readonly authorId: number | null }) => authorId === app.botId;
  return {
    say: async (number, by, body) => {
      later();
      const said = people.comment(name, number, { by, body });
      await stage.rest();
      return said;
    },
    press: async (sha, by, identifier = 'open_fix') => {
      later();
      const runs = [...repository(state, name).checkRuns.values()];
      const run = runs.find(({ appId, headSha }) => appId === app.id && headSha === sha);
      if (run === undefined) throw new Error(`${name} has no check run of ours at ${sha}`);
      await people.pressAction(name, run, identifier, by);
      await stage.rest();
    },
    forkPull: async (files = { 'NOTES.md': 'From afar.\n' }, named = { branch: 'afar', title: 'From afar' }) => {
      const { branch, title } = named;
      const fork = await people.fork(name, 'ola');
      const headRepository = `ola/${fork.name}`;
      await people.push(headRepository, { by: 'ola', branch, files });
      return redPull(await people.openPull(name, { by: 'ola', title, head: branch, headRepository }));
    },
    onlyComment: (number) => only(stage.ourComments(name, number), `comment of ours on ${name}#${number}`),
    pulls: () => people.pulls(name).filter(own),
    reviews: (number) => people.reviews(name, number).filter(own),
    suggestions: (number) => people.reviewComments(name, number).filter(own),
    reactions: (to) => to.reactions.filter(({ userId }) => userId === app.botId).map(({ content }) => content),
  };
}

/** For runs of the past: GitHub's times are whole seconds, in which much happens here. */
export function minutesAgo(minutes: number): string {
  return `${new Date(Date.now() - minutes * 60_000).toISOString().slice(0, 19)}Z`;
}
