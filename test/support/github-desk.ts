// One issue of a shop on the stage, as the people in front of it see it: comments, reactions, the pull request.

import { gitText } from '../github-double/git/run-git.ts';
import { repository } from '../github-double/lookup.ts';
import { type Rendered, renderMarkdown } from '../github-double/page/markdown.ts';
import type { Comment, Issue, Reaction } from '../github-double/state.ts';
import { type BugReport, openShop, reportBug, type ShopOptions } from './github-shop.ts';
import type { GithubStage } from './github-stage.ts';

export interface Desk {
  /** `owner/name`, as it was opened. */
  readonly name: string;
  readonly number: number;
  label(by: string, label?: string): void;
  say(by: string, body: string): Comment;
  /** Comments of our bot on the issue, oldest first. */
  ours(): readonly Comment[];
  /** The first line of each comment of our bot. */
  headlines(): readonly string[];
  /** The comment as GitHub shows it. */
  shown(body: string): Rendered;
  /** Who reacted how, such as `eyes`; of our bot only, to the issue or a comment. */
  reactions(to?: Comment): readonly Reaction['content'][];
  /** Waits for our comment whose first line holds `words`. */
  comment(words: string): Promise<Comment>;
  /** Pull requests of our bot, oldest first. */
  pulls(): readonly Issue[];
  pull(): Promise<Issue>;
  writes(): readonly string[];
}

export async function openDesk(
  stage: GithubStage,
  name: string,
  options: Omit<ShopOptions, 'name'> & Omit<BugReport, 'name'> = {},
): Promise<Desk> {
  await openShop(stage.double, { ...options, name });
  return deskOf(stage, name, await reportBug(stage.double, { ...options, name }));
}

export function deskOf(stage: GithubStage, name: string, number: number): Desk {
  const { double } = stage;
  const { people, app, state } = double;
  // It may be renamed.
  const { id } = repository(state, name);
  const now = () => {
    const found = state.repositories.get(id);
    return found === undefined ? name : `${state.accounts.get(found.ownerId)?.login}/${found.name}`;
  };
  const ours = () => stage.ourComments(now(), number);
  const headline = ({ body }: Comment) => body.split('\n')[0] ?? '';
  const pulls = () => people.pulls(now()).filter(({ authorId }) => authorId === app.botId);
  return {
    name,
    number,
    label: (by, label = 'analyse') => people.label(now(), number, label, by),
    say: (by, body) => people.comment(now(), number, { by, body }),
    ours,
    headlines: () => ours().map(headline),
    shown: (body) => renderMarkdown(body, { repository: now(), webUrl: double.webUrl }),
    reactions: (to) =>
      (to ?? people.issue(now(), number)).reactions.filter((one) => one.userId === app.botId).map((one) => one.content),
    comment: (words) =>
      stage.until(`a comment with "${words}"`, () => ours().find((one) => headline(one).includes(words))),
    pulls,
    pull: () => stage.until('a pull request', () => pulls().at(-1)),
    writes: () => stage.writes(now()),
  };
}

/** Files that a commit changes, against its first parent, such as `M src/a.js`. */
export async function changedFiles(stage: GithubStage, name: string, sha: string): Promise<readonly string[]> {
  const { gitDir } = repository(stage.double.state, name);
  const text = await gitText(gitDir, ['diff-tree', '-r', '--no-commit-id', '--name-status', sha]);
  return text.split('\n').map((line) => line.replace('\t', ' '));
}

export async function fileAt(stage: GithubStage, name: string, object: string): Promise<string> {
  return gitText(repository(stage.double.state, name).gitDir, ['cat-file', 'blob', object]);
}
