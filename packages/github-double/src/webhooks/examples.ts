// The payloads that GitHub publishes as examples, by event.
import { createRequire } from 'node:module';

export interface PublishedExample {
  /** Such as `issues.labeled`; `issues.labeled#2` is the second one of that action, `push` has no action. */
  readonly name: string;
  readonly event: string;
  readonly payload: object;
}

interface Published {
  readonly name: string;
  readonly examples: readonly (object & { readonly action?: string })[];
}

/** All of them, in the order in which they are published. */
export function publishedExamples(): readonly PublishedExample[] {
  const published: readonly Published[] = createRequire(import.meta.url)('@octokit/webhooks-examples');
  const counts = new Map<string, number>();
  return published.flatMap(({ name: event, examples }) =>
    examples.map((payload) => {
      const name = payload.action === undefined ? event : `${event}.${payload.action}`;
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      return { name: count === 1 ? name : `${name}#${count}`, event, payload };
    }),
  );
}
