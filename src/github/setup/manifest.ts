// The App's manifest: app.yml, with the addresses of this installation and the permissions of the chosen kind.
import { parse } from 'yaml';
import { z } from 'zod';

/** `fix`: may commit and open pull requests. `comment`: reads contents, and comments. */
export const INSTALL_KINDS = ['fix', 'comment'] as const;
export type InstallKind = (typeof INSTALL_KINDS)[number];

const AppFile = z.object({
  name: z.string(),
  description: z.string(),
  default_permissions: z.record(z.string(), z.enum(['read', 'write'])),
  default_events: z.array(z.string()),
});

export interface ManifestOptions {
  /** Text of app.yml. */
  readonly appFile: string;
  /** GitHub's names are taken once over the whole site. */
  readonly name: string;
  readonly kind: InstallKind;
  /** Where GitHub reaches this service, without a slash at its end. */
  readonly publicUrl: string;
  /** Where GitHub sends the browser once the App is made. */
  readonly redirectUrl: string;
}

/** As GitHub's page "new App" takes it in the form field `manifest`. */
export function buildManifest({ appFile, name, kind, publicUrl, redirectUrl }: ManifestOptions) {
  const app = AppFile.parse(parse(appFile));
  return {
    name,
    description: app.description,
    // Where those who meet the App can read about it: this service has no page of that name on GitHub.
    url: publicUrl,
    public: false,
    hook_attributes: { url: `${publicUrl}/api/github/webhooks`, active: true },
    redirect_url: redirectUrl,
    setup_url: `${publicUrl}/`,
    callback_urls: [`${publicUrl}/account/callback`],
    request_oauth_on_install: false,
    default_permissions: permissionsOf(kind, app.default_permissions),
    default_events: app.default_events,
  };
}

/** What the App needs for the chosen kind, by app.yml. */
export function wantedOfApp(appFile: string, kind: InstallKind) {
  const app = AppFile.parse(parse(appFile));
  return { permissions: permissionsOf(kind, app.default_permissions), events: app.default_events };
}

/** Nothing that is not needed for comments: no commit, no pull request of its own. */
function permissionsOf(kind: InstallKind, all: Readonly<Record<string, 'read' | 'write'>>) {
  return kind === 'fix' ? all : { ...all, contents: 'read', pull_requests: 'read' };
}

/** The name that app.yml suggests. */
export function suggestedName(appFile: string): string {
  return AppFile.parse(parse(appFile)).name;
}
