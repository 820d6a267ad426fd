import { type AccessRule, accessRules } from 'orch'
import { websiteController } from '../operator/controller.ts'

/** What the operator may delete: a test can hold it to that. */
export function deletes(): readonly AccessRule[] {
  const { everywhere } = accessRules([websiteController])
  return everywhere.filter(({ verbs }) => verbs.includes('delete'))
}
