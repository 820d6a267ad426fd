/** Validation rules beside their expression: messages, reasons, places, and what release 1.29 does not know. */
import type { Json, JsonObject } from '../../../runtime/kernel/values/json.ts'
import type { Random } from '../random.ts'

/** A rule with this expression; now and then something else about it is given, and odd. */
export function randomRule(random: Random, rule: string): JsonObject {
  const kept = (share: number, entry: () => JsonObject): JsonObject =>
    random.chance(share) ? entry() : {}
  return {
    rule,
    ...kept(0.3, () => ({ message: random.pick(['no', '', ' ', 'two\nlines', ' x ']) })),
    ...kept(0.15, () => ({ messageExpression: random.pick(messageExpressions) })),
    ...kept(0.1, () => ({ reason: random.pick(reasons) })),
    ...kept(0.1, () => ({ fieldPath: random.pick(fieldPaths) })),
    ...kept(0.02, () => ({ optionalOldSelf: random.pick<Json>([true, false]) })),
  }
}

const messageExpressions = [
  "'is ' + string(self)",
  "'is wrong'",
  "''",
  ' ',
  "'two\\nlines'",
  "'  spaces '",
  '1',
  'self',
  'self.a',
  "'x' + ",
  'oldSelf',
  "string(size(self)) + ' of 3'",
]

const reasons = [
  'FieldValueInvalid',
  'FieldValueForbidden',
  'FieldValueRequired',
  'FieldValueDuplicate',
  'Unauthorized',
  '',
]

const fieldPaths = [
  '.a',
  '.spec',
  '.spec.a',
  "['a']",
  "['x-y']",
  '.x-y',
  '.c[0]',
  ".c['k']",
  'a',
  '.missing',
  '',
  ' ',
  '.a\n',
  '.',
]
