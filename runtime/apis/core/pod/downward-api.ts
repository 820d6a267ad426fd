import type {
  ObjectFieldSelector,
  ResourceFieldSelector,
} from '../../../../generated/apis/core/v1/env.ts'
import type { DownwardAPIVolumeFile } from '../../../../generated/apis/core/v1/volume.ts'
import { volumeFileProblems } from '../../../kernel/meta/file-paths.ts'
import { qualifiedNameProblems } from '../../../kernel/meta/names.ts'
import { compareQuantities, parseQuantity } from '../../../kernel/values/quantity.ts'
import type { Check, Field } from '../../../kernel/walker/field.ts'

/** Fields of a pod that a variable can be set from; labels and annotations one by one. */
export const variableFields: readonly string[] = (
  'metadata.name metadata.namespace metadata.uid spec.nodeName spec.serviceAccountName ' +
  'status.hostIP status.hostIPs status.podIP status.podIPs'
).split(' ')

/** Fields of a pod that a file can be made from. */
const fileFields: readonly string[] =
  'metadata.annotations metadata.labels metadata.name metadata.namespace metadata.uid'.split(' ')

const amounts = ['limits', 'requests'].flatMap((bound) =>
  ['cpu', 'ephemeral-storage', 'memory'].map((name) => `${bound}.${name}`),
)

/**
 * A file that is made from exactly one thing that a pod knows of itself.
 * Errors in the order path, number of sources, source. A file has to name the container of an
 * amount; a variable means its own.
 */
export const downwardFile: Check<DownwardAPIVolumeFile> = (file) => {
  const { fieldRef, resourceFieldRef } = file.value
  file.checkText('path', volumeFileProblems)
  if (fieldRef && resourceFieldRef) {
    const why = 'fieldRef and resourceFieldRef can not be specified simultaneously'
    file.invalid('', why, 'resource')
  }
  if (!fieldRef && !resourceFieldRef) {
    file.required('', 'one of fieldRef and resourceFieldRef is required')
  }
  file.when('fieldRef', (ref) => checkFieldRef(ref, fileFields))
  file.when('resourceFieldRef', (ref) => {
    if (!ref.value.containerName) ref.required('containerName')
    checkResourceFieldRef(ref)
  })
}

/** A field is one of `fields`, or one label or annotation by its key. */
export function checkFieldRef(ref: Field<ObjectFieldSelector>, fields: readonly string[]) {
  const { fieldPath = '', apiVersion = 'v1' } = ref.value
  if (apiVersion !== 'v1') {
    const why = `error converting fieldPath: unsupported pod version: ${apiVersion}`
    return ref.invalid('fieldPath', why)
  }
  if (fieldPath === '' || fields.includes(fieldPath)) return
  const key = /^metadata\.(?:labels|annotations)\['([^']*)'\]$/.exec(fieldPath)?.[1]
  if (key !== undefined) ref.invalidAll('fieldPath', qualifiedNameProblems(key))
  else if (fileFields.includes(fieldPath) || variableFields.includes(fieldPath)) {
    ref.unsupported('fieldPath', fields)
  } else {
    const why = `error converting fieldPath: field label not supported: ${fieldPath}`
    ref.invalid('fieldPath', why)
  }
}

/** An amount of a container, in steps that make sense for it. */
export function checkResourceFieldRef(ref: Field<ResourceFieldSelector>) {
  const { resource = '', divisor = '0' } = ref.value
  if (resource === '') return
  const known = amounts.includes(resource) || /^(?:limits|requests)\.hugepages-/.test(resource)
  if (!known) return ref.unsupported('resource', amounts)
  const problem = divisorProblem(resource, divisor)
  if (problem !== undefined) ref.invalid('divisor', problem, divisor)
}

const decimal = ['1k', '1M', '1G', '1T', '1P', '1E']
const binary = ['1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei']

/**
 * The divisor is compared as a quantity, so `1000m` is `1`. Zero stands for the default, which is
 * 1.
 */
function divisorProblem(resource: string, divisor: string): string | undefined {
  const name = resource.slice(resource.indexOf('.') + 1)
  const steps = name === 'cpu' ? ['1m', '1'] : ['1', ...decimal, ...binary]
  const given = parseQuantity(divisor)
  const equal = (step: string) => given && compareQuantities(given, parseQuantity(step)!) === 0
  if (['0', ...steps].some(equal)) return undefined
  const listed = name === 'cpu' ? '1m and 1' : steps.join(', ')
  return `only divisor's values ${listed} are supported with the ${name} resource`
}
