// The keys of `.github/causeway.yml` for people: what each means, and its value in words.
import type { RepositoryConfig } from './repository-config.ts';

interface ConfigurationKey {
  /** As the file calls it. */
  readonly name: string;
  /** One sentence. */
  readonly means: string;
  /** In words; "" for nothing. */
  readonly value: (config: RepositoryConfig) => string;
}

/** In the order of the documentation. */
export const CONFIGURATION_KEYS: readonly ConfigurationKey[] = [
  {
    name: 'mode',
    means:
      'How far Causeway goes: observe writes nothing on GitHub, comment opens no pull requests, fix does everything.',
    value: ({ mode }) => mode,
  },
  {
    name: 'labels',
    means: 'Labels that start an analysis when somebody with the right puts them on an issue.',
    value: ({ labels }) => listed(labels),
  },
  {
    name: 'checks.include',
    means: 'Failed checks that are looked at.',
    value: ({ checks }) => listed(checks.include, 'all'),
  },
  {
    name: 'checks.exclude',
    means: 'Failed checks that are never looked at, whatever checks.include says.',
    value: ({ checks }) => listed(checks.exclude),
  },
  {
    name: 'checks.branches',
    means: 'Branches whose failed checks are looked at; of a pull request it is its base that counts.',
    value: ({ checks }) => listed(checks.branches, 'all'),
  },
  {
    name: 'pull_request.attempts',
    means: "Further attempts when the checks of Causeway's own pull request are red.",
    value: ({ pullRequest }) => String(pullRequest.attempts),
  },
  {
    name: 'pull_request.draft',
    means: 'Whether pull requests are opened as drafts.',
    value: ({ pullRequest }) => yesOrNo(pullRequest.draft),
  },
  {
    name: 'pull_request.ready',
    means: 'Whether a draft is marked ready when its checks are green, which asks code owners for a review.',
    value: ({ pullRequest }) => yesOrNo(pullRequest.ready),
  },
  {
    name: 'pull_request.base',
    means: 'The branch that pull requests are made for.',
    value: ({ pullRequest }) => pullRequest.base || 'the default branch',
  },
  {
    name: 'pull_request.reviewers',
    means: 'Who is asked for a review once a pull request is no draft.',
    value: ({ pullRequest }) => listed(pullRequest.reviewers),
  },
  {
    name: 'paths.allow',
    means: 'The only paths that a change may touch.',
    value: ({ paths }) => listed(paths.allow, 'all'),
  },
  {
    name: 'paths.block',
    means: 'Paths that a change never touches, whatever paths.allow says.',
    value: ({ paths }) => listed(paths.block),
  },
  {
    name: 'budget.run',
    means: 'What one investigation may cost.',
    value: ({ budget }) => (budget.run === null ? '' : dollars(budget.run)),
  },
  {
    name: 'budget.month',
    means: 'What this repository may cost in a calendar month.',
    value: ({ budget }) => (budget.month === null ? '' : dollars(budget.month)),
  },
  {
    name: 'comments',
    means: 'Where Causeway comments: everywhere that it has something to say, or only where a person asked.',
    value: ({ comments }) => comments,
  },
  {
    name: 'language',
    means: 'The language of what the analysis says.',
    value: ({ language }) => language || 'English',
  },
  {
    name: 'model',
    means: 'The language model that is asked; without one an investigation gives facts only.',
    value: ({ model }) => model,
  },
  {
    name: 'instructions',
    means: 'What is to be heeded in this repository, as context for the analysis.',
    value: ({ instructions }) => instructions,
  },
];

/** Such as `$25` or `$0.50`; a smaller part of a cent is shown whole. */
export function dollars(usd: number): string {
  if (Number.isInteger(usd)) return `$${usd}`;
  return `$${Number(usd.toFixed(2)) === usd ? usd.toFixed(2) : usd}`;
}

function listed(names: readonly string[], ofNone = ''): string {
  return names.length === 0 ? ofNone : names.join(', ');
}

function yesOrNo(is: boolean): string {
  return is ? 'yes' : 'no';
}
