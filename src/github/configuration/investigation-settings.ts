// What a repository's configuration says about its investigations.
import type { InvestigationSettings } from '../../core/settings.ts';
import type { RepositoryConfig } from './repository-config.ts';

/** The models that the operator offers. */
export interface OfferedModels {
  /** The one that is asked where the repository names none; null: no model is offered. */
  readonly operatorModel: string | null;
  /** Those that a repository may choose instead. */
  readonly otherModels?: readonly string[];
}

/**
 * A repository that names a model which is not offered gets facts only: what it did not ask for is not sent anywhere. One that lets an
 * investigation cost nothing asks for none either.
 */
export function investigationSettings(config: RepositoryConfig, offered: OfferedModels): InvestigationSettings {
  const model = chosenModel(config, offered);
  return {
    useModel: model !== null && config.budget.run !== 0,
    // The operator's own is not named, so that a change of MODEL counts for reports that wait.
    model: model === null || model === offered.operatorModel ? '' : model,
    budget: config.budget,
    language: config.language,
    instructions: config.instructions,
    paths: config.paths,
  };
}

/** The one of the operator's models that the repository asks for; null: none. */
export function chosenModel(
  { model }: Pick<RepositoryConfig, 'model'>,
  { operatorModel, otherModels = [] }: OfferedModels,
): string | null {
  const wanted = model.toLowerCase();
  if (operatorModel === null || wanted === 'none') return null;
  if (wanted === '') return operatorModel;
  return [operatorModel, ...otherModels].find((name) => name.toLowerCase() === wanted) ?? null;
}
