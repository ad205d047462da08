// Owners and the Apps on their accounts: installed, changed, suspended, removed.
import {
  acceptPermissions,
  addInstallation,
  changeRepositories,
  removeInstallation,
  suspendInstallation,
} from '../deeds/installations.ts';
import { account, repository } from '../lookup.ts';
import type { App, Installation, Permissions, State } from '../state.ts';

export interface Install {
  /** Default: the App under test. */
  readonly app?: App;
  /** `owner/name` each; default: all. */
  readonly repositories?: readonly string[];
  /** Default: what the App asks for. */
  readonly permissions?: Permissions;
  readonly events?: readonly string[];
  /** Default: the account itself. */
  readonly by?: string;
}

export type InstallationVerbs = ReturnType<typeof installationVerbs>;

export function installationVerbs(state: State, underTest: App) {
  const list = (names: readonly string[]) => names.map((name) => repository(state, name));
  return {
    install(owner: string, options: Install = {}): Installation {
      const app = options.app ?? underTest;
      return addInstallation(state, {
        app,
        account: account(state, owner),
        repositories: options.repositories === undefined ? null : list(options.repositories),
        permissions: options.permissions ?? app.permissions,
        events: options.events ?? app.events,
        byId: account(state, options.by ?? owner).id,
      });
    },
    uninstall(installation: Installation, by: string): void {
      removeInstallation(state, installation, account(state, by).id);
    },
    suspend(installation: Installation, by: string): void {
      suspendInstallation(state, installation, { suspended: true, byId: account(state, by).id });
    },
    unsuspend(installation: Installation, by: string): void {
      suspendInstallation(state, installation, { suspended: false, byId: account(state, by).id });
    },
    acceptPermissions(installation: Installation, permissions: Permissions, by: string): void {
      acceptPermissions(state, installation, permissions, account(state, by).id);
    },
    /** Of an installation on selected repositories. */
    changeRepositories(
      installation: Installation,
      change: { readonly add?: readonly string[]; readonly remove?: readonly string[]; readonly by: string },
    ): void {
      const byId = account(state, change.by).id;
      changeRepositories(state, installation, {
        added: list(change.add ?? []),
        removed: list(change.remove ?? []),
        byId,
      });
    },
  };
}
