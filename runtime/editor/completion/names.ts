/** Names of objects, their keys and their ports, where a field refers to them. */
import { hasLabels, type ObjectFacts } from '../../validate/validate.ts'
import { Lines } from '../text/lines.ts'
import { prunedTo } from '../text/pruned.ts'
import { type EditorContext, outlinedFacts } from '../workspace/names.ts'
import { escaped, type Item, type Position } from './item.ts'
import { labelValues } from './labels.ts'

/** What may be named at the place, of the objects of the workspace. */
export function nameItems(position: Position, context: EditorContext): readonly Item[] {
  const { typing, object, file } = position
  const { spot } = typing
  if (object.node === undefined) return []
  const lines = new Lines('')
  const facts = outlinedFacts(file, prunedTo(object.node, object.path), lines, context)
  if (facts === undefined) return []
  const isHere = ({ at }: { readonly at: { readonly offset: number } }) => at.offset === spot.start
  const reference = facts.references.find(isHere)
  if (reference !== undefined) {
    const { kind, namespace } = reference
    return context.objects
      .names(reference, namespace)
      .map((label) => ({ label, is: 'name', detail: kind }))
  }
  const ofKey = facts.references.find(({ keys }) => keys.some(isHere))
  if (ofKey !== undefined) {
    const { kind, namespace, name } = ofKey
    const found = context.objects.object(ofKey, namespace, name)
    return (found?.keys ?? []).map((label) => ({
      label,
      is: 'name',
      detail: `key of ${kind} ${name}`,
    }))
  }
  return [...portItems(facts, isHere, context), ...labelValues(position, context)]
}

/** Ports of a service, or names of ports of the pods that it selects. */
function portItems(
  { portUses }: ObjectFacts,
  isHere: (place: { readonly at: { readonly offset: number } }) => boolean,
  { objects }: EditorContext,
): readonly Item[] {
  const use = portUses.find(isHere)
  if (use === undefined) return []
  const { service, namespace, selector, path } = use
  const ports =
    service !== undefined
      ? (objects.object({ kind: 'Service', group: '' }, namespace, service)?.ports ?? [])
      : objects
          .pods(namespace)
          .filter((pod) => hasLabels(pod, selector ?? {}))
          .flatMap((pod) => pod.ports)
  const wanted = path.endsWith('.number') ? 'number' : path.endsWith('.name') ? 'string' : undefined
  return [...new Set(ports)]
    .filter((port) => wanted === undefined || typeof port === wanted)
    .map((port) => ({
      label: String(port),
      is: 'name',
      detail: service === undefined ? 'port of the pods' : `port of Service ${service}`,
      ...(typeof port === 'number' && { snippet: escaped(String(port)) }),
    }))
}
