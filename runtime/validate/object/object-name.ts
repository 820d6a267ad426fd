import { isObject, type JsonObject } from '../../kernel/values/json.ts'
import { followPath, type LocatedValue, type TextRange } from '../../serializer/serializer.ts'
import type { ObjectName } from '../rules/finding.ts'
import { finding, type PartFinding } from '../rules/part-finding.ts'

/** What a document states to be; undefined if it does not state both words. */
export function nameOf(value: JsonObject): ObjectName | undefined {
  const { apiVersion, kind, metadata } = value
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined
  if (apiVersion === '' || kind === '') return undefined
  const { name, namespace } = isObject(metadata) ? metadata : {}
  return {
    apiVersion,
    kind,
    ...(typeof namespace === 'string' && { namespace }),
    ...(typeof name === 'string' && { name }),
  }
}

/** Says which of the two words is missing, or is no text. */
export function untyped(root: LocatedValue<TextRange>, value: unknown): PartFinding {
  if (!isObject(value as JsonObject)) {
    return finding(
      'document.object',
      'a document must be a mapping with apiVersion and kind',
      root.at,
    )
  }
  const words = ['apiVersion', 'kind'].filter((word) => {
    const given = (value as JsonObject)[word]
    return typeof given !== 'string' || given === ''
  })
  const wrong = words.find((word) => Object.hasOwn(value as object, word))
  const message = `${words.join(' and ')} must be stated, as text`
  return finding(
    'document.object',
    message,
    wrong === undefined ? root.at : followPath(root, wrong).node.at,
  )
}

/** The values of a Secret are not to be printed. */
export function isSecretPath(path = ''): boolean {
  return path === '' || /^(data|stringData|metadata\.annotations)\b/.test(path)
}
