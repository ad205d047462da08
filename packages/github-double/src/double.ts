// What a test holds of the GitHub double: its addresses, its state, the people who act in it, what was asked of it, and its faults.
import type { SeenRequest } from './exchange.ts';
import type { FaultRule } from './fault-rule.ts';
import type { People } from './people/people.ts';
import type { App, AppOptions, EventListener, GithubAccount, GithubRepository, State, Urls } from './state.ts';
import type { WebhookSender } from './webhooks/delivery.ts';

export interface DoubleOptions {
  /** Default 0: any free one. */
  readonly port?: number;
  /** Such as `/api/v3`, which makes it look like GitHub Enterprise; default "". */
  readonly basePath?: string;
  /** The App under test; what is left out: `app-under-test` of the organisation `octo`, which may read metadata and hears of no event. */
  readonly app?: Partial<AppOptions>;
  /** Whether browsers are served a page on which people read and act; default false. */
  readonly page?: boolean;
}

export interface GithubDouble extends AsyncDisposable {
  readonly urls: Urls;
  /** For API clients, such as Octokit's `baseUrl`. */
  readonly apiUrl: string;
  readonly webUrl: string;
  readonly state: State;
  /** Everything that a person could do on GitHub. */
  readonly people: People;
  /** The App under test, with its key, its secrets, and the address of its webhook (null: none yet), which tests set. */
  readonly app: App;
  /** Oldest first. */
  readonly requests: readonly SeenRequest[];
  /** What was asked or answered wrongly; disposal throws where it is not empty. */
  readonly problems: string[];
  /** Faults to come, the first that matches is used up first. */
  readonly faults: { add(rule: FaultRule): void; clear(): void };
  /** Login of the person who sits at the browser and says yes to every sign-in at once; null: the page asks. */
  readonly signIns: { signedIn: string | null };
  /** Sends what happens to the App's webhook; `settled()` waits for it. */
  readonly webhooks: WebhookSender;
  /** Calls it for everything that is announced to an installation from now on, subscribed to or not. */
  onEvent(listener: EventListener): void;
  /** By `owner/name`; throws for one that no test has opened. */
  repository(name: string): GithubRepository;
  /** By its login; throws for one that no test has made. */
  account(login: string): GithubAccount;
  /** Sha of the commit that a branch of the repository is at; null: there is no such branch. */
  tip(name: string, branch?: string): Promise<string | null>;
  /** Runs git on the bare repository, without the machine's configuration; what it printed, without spaces at its ends. Rejects where git refuses. */
  git(name: string, ...args: readonly string[]): Promise<string>;
}
