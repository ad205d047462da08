// Which commits of a range are shown, the likeliest to have turned the check red first, with what is said of it.
import type { CommitRange } from '../../core/failure.ts';
import { inertInline } from '../../core/markdown/github.ts';

const COMMITS_SHOWN = 5;
const MAX_REASON = 300;

interface ShownCommit {
  readonly commit: CommitRange['commits'][number];
  /** Markdown to stand behind it; "" for all but the likeliest. */
  readonly likeliest: string;
}

/** The newest first, but for the likeliest where one stands out; `more`: how many are not shown. */
export function rangeCommits({ commits, total, likeliest }: CommitRange): {
  readonly shown: readonly ShownCommit[];
  readonly more: number;
} {
  const first = commits.filter(({ sha }) => sha === likeliest?.sha);
  const others = commits.filter(({ sha }) => sha !== likeliest?.sha);
  const shown = [
    ...first.map((commit) => ({
      commit,
      likeliest: ` · the likeliest: it ${inertInline(likeliest?.reason ?? '', MAX_REASON)}`,
    })),
    ...others.map((commit) => ({ commit, likeliest: '' })),
  ].slice(0, COMMITS_SHOWN);
  return { shown, more: total - shown.length };
}
