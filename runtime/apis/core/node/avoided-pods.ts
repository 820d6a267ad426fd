/** The annotation by which a node asked to be spared the pods of a controller: what it says still has to make sense. */
import type { Node } from '../../../../generated/apis/core/v1/node.ts'
import { isObject, type Json } from '../../../kernel/values/json.ts'
import type { Field } from '../../../kernel/walker/field.ts'
import { syntaxProblem, unmarshalProblem } from '../../../serializer/serializer.ts'

/** The beginning of its key, before the domain of the platform, and the name behind the slash. */
const [prefix, name] = ['scheduler.alpha.', '/preferAvoidPods']

/** Checks the annotation of a node; errors stand below the annotations, by names that Go gives to the fields. */
export function checkAvoidedPods(object: Field<Node>): void {
  for (const [key, text] of Object.entries(object.value.metadata?.annotations ?? {})) {
    if (!key.startsWith(prefix) || !key.endsWith(name) || text === '') continue
    const problem = typeProblem(text)
    if (problem === undefined) checkEntries(object, key, JSON.parse(text))
    else refuse(object, 'AvoidPods', problem, key)
  }
}

function typeProblem(text: string): string | undefined {
  const problem = syntaxProblem(Buffer.from(text))
  if (problem !== undefined) return problem
  const value: Json = JSON.parse(text)
  if (value !== null && !isObject(value))
    return unmarshalProblem(value, 'value of type v1.AvoidPods')
  const entries = value?.preferAvoidPods ?? []
  return Array.isArray(entries)
    ? undefined
    : unmarshalProblem(
        entries,
        'struct field AvoidPods.preferAvoidPods of type []v1.PreferAvoidPodsEntry',
      )
}

/** Each entry names a controller. */
function checkEntries(object: Field<Node>, key: string, value: Json): void {
  const entries = isObject(value) ? value.preferAvoidPods : []
  for (const [index, entry] of (Array.isArray(entries) ? entries : []).entries()) {
    const signature = isObject(entry) ? entry.podSignature : undefined
    const controller = isObject(signature) ? signature.podController : undefined
    const at = `${key}[${index}].PodSignature`
    if (!isObject(controller)) object.required(`metadata.annotations.${at}` as 'metadata')
    else if (controller.controller !== true)
      refuse(object, `${at}.PodController.Controller`, 'must point to a controller', false)
  }
}

function refuse(object: Field<Node>, at: string, why: string, value: unknown): void {
  object.invalid(`metadata.annotations.${at}` as 'metadata', why, value)
}
