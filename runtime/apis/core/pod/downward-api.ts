import type {
  ObjectFieldSelector,
  ResourceFieldSelector,
} from '../../../../generated/apis/core/v1/env.ts'
import type {
  DownwardAPIProjection,
  DownwardAPIVolumeFile,
  DownwardAPIVolumeSource,
} from '../../../../generated/apis/core/v1/volume.ts'
import { volumeFileProblems } from '../../../kernel/meta/file-paths.ts'
import { qualifiedNameProblems } from '../../../kernel/meta/names.ts'
import {
  compareQuantities,
  parseQuantity,
  printQuantity,
  type Quantity,
} from '../../../kernel/values/quantity.ts'
import type { Check, Field } from '../../../kernel/walker/field.ts'

/** Fields of a pod that a variable can be set from; labels and annotations one by one. */
export const variableFields: readonly string[] = (
  'metadata.name metadata.namespace metadata.uid spec.nodeName spec.serviceAccountName ' +
  'status.hostIP status.hostIPs status.podIP status.podIPs'
).split(' ')

/** Fields of a pod that a file can be made from. */
const fileFields: readonly string[] =
  'metadata.annotations metadata.labels metadata.name metadata.namespace metadata.uid'.split(' ')

/** Fields that a pod has for those who ask for one by name. */
const podFields: ReadonlySet<string> = new Set([
  ...variableFields,
  ...fileFields,
  ...'spec.host spec.restartPolicy spec.schedulerName status.phase'.split(' '),
])

const amounts = ['limits', 'requests'].flatMap((bound) =>
  ['cpu', 'ephemeral-storage', 'memory'].map((name) => `${bound}.${name}`),
)

/** Files that are made of what a pod knows of itself; their errors are told of the volume, file by file. */
export const downwardFiles: Check<DownwardAPIVolumeSource> = (volume) => {
  volume.tellHere('defaultMode')
  volume.each('items', (file) => checkDownwardFile(volume, file))
}

/**
 * A file that is made from exactly one thing. Errors are told as those of what holds it, in the order path, source, mode; beside
 * a field an amount is not looked at. A file has to name the container of an amount; a variable means its own.
 */
export function checkDownwardFile(
  holder: Field<DownwardAPIProjection>,
  file: Field<DownwardAPIVolumeFile>,
): void {
  const { fieldRef, resourceFieldRef } = file.value
  file.tellAs(holder, () => {
    file.tellHere('path')
    file.checkText('path', volumeFileProblems)
    if (fieldRef) {
      file.tellHere('fieldRef')
      checkFieldRef(file.child('fieldRef'), fileFields)
      file.passOver('resourceFieldRef')
      const why = 'fieldRef and resourceFieldRef can not be specified simultaneously'
      if (resourceFieldRef) file.invalid('', why, 'resource')
    } else if (resourceFieldRef) checkFileAmount(file.child('resourceFieldRef'))
    else file.required('', 'one of fieldRef and resourceFieldRef is required')
    file.tellHere('mode')
  })
}

/** Without a container nothing is said of what is measured there. */
function checkFileAmount(ref: Field<ResourceFieldSelector>): void {
  if (ref.value.containerName) {
    ref.tellHere('resource')
    checkResourceFieldRef(ref)
  } else {
    ref.required('containerName')
    ref.passOver('resource')
    checkDivisor(ref)
  }
}

/** A field is one of `fields`, or one label or annotation by its key. */
export function checkFieldRef(ref: Field<ObjectFieldSelector>, fields: readonly string[]) {
  const { fieldPath = '', apiVersion = 'v1' } = ref.value
  if (fieldPath === '') return
  const problem = conversionProblem(apiVersion, fieldPath)
  if (problem !== undefined) {
    return ref.invalid('fieldPath', `error converting fieldPath: ${problem}`)
  }
  const { list, key } = subscripted(fieldPath) ?? {}
  const known = fieldPath === 'spec.host' ? 'spec.nodeName' : fieldPath
  if (key === undefined) {
    if (!fields.includes(known)) ref.unsupported('fieldPath', fields, known)
    return
  }
  const name = list === 'metadata.annotations' ? key.toLowerCase() : key
  ref.invalidAll('', qualifiedNameProblems(name), name)
}

/** The parts of a path that ends with a key in brackets: what stands before the first bracket, and the key. Undefined for any other path. */
function subscripted(
  fieldPath: string,
): { readonly list: string; readonly key: string } | undefined {
  if (!fieldPath.endsWith("']")) return undefined
  const path = fieldPath.slice(0, -2)
  const at = path.indexOf("['")
  return at <= 0 ? undefined : { list: path.slice(0, at), key: path.slice(at + 2) }
}

/** Why a pod has no such field. */
function conversionProblem(apiVersion: string, fieldPath: string): string | undefined {
  if (apiVersion !== 'v1') return `unsupported pod version: ${apiVersion}`
  const list = subscripted(fieldPath)?.list
  if (list === undefined) {
    return podFields.has(fieldPath) ? undefined : `field label not supported: ${fieldPath}`
  }
  if (list === 'metadata.annotations' || list === 'metadata.labels') return undefined
  return `field label does not support subscript: ${fieldPath}`
}

/** An amount of a container, in steps that make sense for it. */
export function checkResourceFieldRef(ref: Field<ResourceFieldSelector>) {
  const { resource = '' } = ref.value
  if (resource !== '' && !amounts.includes(resource) && !hugePages.test(resource)) {
    ref.unsupported('resource', amounts)
  }
  checkDivisor(ref)
}

const hugePages = /^(?:limits|requests)\.hugepages-/

const decimal = ['1k', '1M', '1G', '1T', '1P', '1E']
const binary = ['1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei']

/** An amount is told in one of the steps of its kind; zero stands for the default, which is 1. What is refused is told by the amount. */
function checkDivisor(ref: Field<ResourceFieldSelector>): void {
  const { resource = '', divisor = '0' } = ref.value
  const kind = divided(resource)
  const given = parseQuantity(divisor)
  if (kind === undefined || given === undefined || isZero(given)) return
  const steps = kind === 'cpu' ? ['1m', '1'] : ['1', ...decimal, ...binary]
  if (steps.includes(printQuantity(given))) return
  const listed = kind === 'cpu' ? '1m and 1' : steps.join(', ')
  const why = `only divisor's values ${listed} are supported with the ${kind} resource`
  ref.invalid('divisor', why, resource)
}

/** What an amount is called where its divisor is wrong; undefined for one that is unknown. */
function divided(resource: string): string | undefined {
  if (hugePages.test(resource)) return 'hugepages'
  if (!amounts.includes(resource)) return undefined
  const name = resource.slice(resource.indexOf('.') + 1)
  return name === 'ephemeral-storage' ? 'local ephemeral storage' : name
}

function isZero(quantity: Quantity): boolean {
  return compareQuantities(quantity, parseQuantity('0')!) === 0
}
