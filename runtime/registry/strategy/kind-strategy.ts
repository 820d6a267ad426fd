import {
  loadStrategies,
  type Strategy,
  type StrategyContext,
  strategiesOf,
} from '../../apis/apis.ts'
import type { Steps } from '../../kernel/async/slices.ts'
import type { UserInfo } from '../../kernel/auth/user-info.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import type { Reading } from '../../kernel/validation/reading.ts'
import type { RegistryContext } from '../contract/context.ts'
import type { Target } from '../contract/contract.ts'

/** The strategies that a kind names, as one, bound to the facts of a request. */
export interface KindStrategy {
  /** Fills in what follows from other fields. */
  defaults(object: ApiObject): ApiObject
  /** Shapes a new object: fields that the system owns, such as an initial status. */
  prepareCreate(object: ApiObject, user: UserInfo | undefined): ApiObject
  /** Shapes an update of the object, or of the subresource that the request names. */
  prepareUpdate(object: ApiObject, old: ApiObject): ApiObject
  /** `malformed`: the reader refused the object in a way that expressions cannot be evaluated on. */
  validate(
    object: ApiObject,
    old: ApiObject | undefined,
    malformed: boolean,
    reading?: Reading,
  ): readonly FieldError[]
  /** The checks that may take milliseconds. */
  validateInSteps(
    object: ApiObject,
    old: ApiObject | undefined,
    malformed: boolean,
    reading?: Reading,
  ): readonly Steps<readonly FieldError[]>[]
  /** Refuses what its sender may not give; absent for kinds that give nothing. @throws StatusError Forbidden. */
  readonly permit?: NonNullable<Strategy['permit']>
  /** Warnings about an accepted object: senders of a status are warned of nothing. */
  warn(object: ApiObject, old: ApiObject | undefined): readonly string[]
}

/** Loads the strategies of the target's kind where this is its first write. */
export async function kindStrategy(
  { scheme, clock, gates }: Pick<RegistryContext, 'scheme' | 'clock' | 'gates'>,
  { kind, subresource }: Target,
): Promise<KindStrategy> {
  await loadStrategies(kind)
  const strategies = strategiesOf(kind)
  const facts: StrategyContext = {
    platform: scheme.platform,
    now: clock.now(),
    gates,
    ...(subresource && { subresource }),
  }
  const permit = strategies.find((one) => one.permit !== undefined)?.permit
  return {
    ...(permit && { permit }),
    defaults: (object) =>
      strategies.reduce((result, one) => one.defaults?.(result, facts) ?? result, object),
    prepareCreate(object, user) {
      const context = user === undefined ? facts : { ...facts, user }
      return strategies.reduce(
        (result, one) => one.prepareCreate?.(result, context) ?? result,
        object,
      )
    },
    prepareUpdate(object, old) {
      const hook = subresource === undefined ? 'prepareUpdate' : 'prepareSubresource'
      return strategies.reduce((result, one) => one[hook]?.(result, old, facts) ?? result, object)
    },
    validate: (object, old, malformed, reading) =>
      strategies.flatMap(
        (one) => one.validate?.(object, old, { ...facts, malformed, reading }) ?? [],
      ),
    validateInSteps: (object, old, malformed, reading) =>
      strategies.flatMap(
        (one) => one.validateInSteps?.(object, old, { ...facts, malformed, reading }) ?? [],
      ),
    warn: (object, old) =>
      subresource === undefined || subresource === 'scale'
        ? strategies.flatMap((one) => one.warn?.(object, old, facts) ?? [])
        : [],
  }
}
