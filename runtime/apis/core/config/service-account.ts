import type { ServiceAccount } from '../../../../generated/apis/core/v1/service-account.ts'
import { change, changeAll } from '../../../kernel/values/change.ts'
import type { LooseObject } from '../../../kernel/walker/loose.ts'
import type { Strategy } from '../../strategy/strategy.ts'

/** Of the secrets of an account their names count, and nothing else of the references is kept. */
export const serviceAccount: Strategy<ServiceAccount> = {
  prepareCreate: withNamesAlone,
  prepareUpdate: withNamesAlone,
}

function withNamesAlone(object: LooseObject<ServiceAccount>): LooseObject<ServiceAccount> {
  const secrets = changeAll(object.secrets, ({ name }) => (name === undefined ? {} : { name }))
  return change(object, { secrets })
}
