// What a configuration file says, with the defaults for what it leaves open.
import type { FileContent } from './file-schema.ts';
import { DEFAULT_CONFIG, type RepositoryConfig } from './repository-config.ts';

export function toConfig(file: FileContent): RepositoryConfig {
  const { checks, paths, budget } = DEFAULT_CONFIG;
  return {
    ...DEFAULT_CONFIG,
    ...given({
      mode: file.mode,
      labels: file.labels,
      comments: file.comments,
      language: file.language,
      model: file.model,
      instructions: file.instructions?.trim(),
    }),
    checks: { ...checks, ...given(file.checks ?? {}) },
    paths: { ...paths, ...given(file.paths ?? {}) },
    budget: { ...budget, ...given(file.budget ?? {}) },
    pullRequest: pullRequestOf(file.pull_request ?? {}),
  };
}

/** Names of the keys that the file gives, as it calls them. */
export function givenKeys(file: FileContent): ReadonlySet<string> {
  const keys = Object.entries(given(file)).flatMap(([name, value]) =>
    typeof value === 'object' && !Array.isArray(value)
      ? Object.keys(given(value)).map((key) => `${name}.${key}`)
      : name,
  );
  return new Set(keys);
}

function pullRequestOf(file: NonNullable<FileContent['pull_request']>): RepositoryConfig['pullRequest'] {
  const { reviewers = [], ...rest } = file;
  return {
    ...DEFAULT_CONFIG.pullRequest,
    ...given(rest),
    reviewers: reviewers.map((name) => name.replace(/^@/, '')),
  };
}

type Given<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** Without what was left open, so that it hides no default. */
function given<T extends object>(values: T): Given<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<T>;
}
