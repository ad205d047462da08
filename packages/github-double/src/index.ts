// A GitHub on loopback, for tests of any GitHub App.
export { type CiOptions, type RunningCi, startCi } from './ci.ts';
export { findOperation, githubDescription, type JsonSchema, type Operation } from './description/operations.ts';
export { validateExchange } from './description/validate.ts';
export type { DoubleOptions, GithubDouble } from './double.ts';
export type { ApiExchange, SeenRequest } from './exchange.ts';
export type { Fault, FaultRule, Moment, SentAnswer } from './fault-rule.ts';
export type { FileTexts } from './git/write-objects.ts';
export { type ReferenceGround, type Rendered, renderMarkdown } from './page/markdown.ts';
export type { ReportedJob, ReportedRun } from './people/checks.ts';
export type { People } from './people/people.ts';
export type { Push } from './people/repositories.ts';
export { startGithubDouble } from './start.ts';
export type {
  ActionsRun,
  App,
  AppInstallation,
  AppOptions,
  AppPermissions,
  CheckRun,
  Comment,
  GithubAccount,
  GithubIssue,
  GithubRepository,
  Reaction,
  Review,
  ReviewRemark,
  State,
} from './state.ts';
export { readSuggestion, type Suggestion } from './suggestion.ts';
export type { ListedDelivery, WebhookSender } from './webhooks/delivery.ts';
export { type PublishedExample, publishedExamples } from './webhooks/examples.ts';
export { type DeliveryOutcome, type Letter, postDelivery, signDelivery } from './webhooks/sender.ts';
