// The Probot app function, where Probot's own tools look for it: `probot receive -e issues -p file.json
// ./src/index.ts`.
import type { Probot } from 'probot';
import { openProbotApp } from './app/probot-app.ts';

/** Opens the service by its settings and registers its handlers; jobs run until the process ends. */
export default async function causeway(app: Probot): Promise<void> {
  (await openProbotApp())(app);
}
