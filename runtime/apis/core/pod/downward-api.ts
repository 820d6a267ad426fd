/** What a container can be told about its own pod. */
import { qualifiedNameProblems } from '../../../kernel/meta/names.ts'
import type { FieldError } from '../../../kernel/validation/field-error.ts'
import { compareQuantities, parseQuantity } from '../../../kernel/values/quantity.ts'
import { invalid, invalidAll, required, unsupported } from '../../types/field-errors.ts'
import type { FieldReference, List, ResourceReference } from '../../types/shapes.ts'
import { checkFilePath } from '../volume/volume-checks.ts'

/** Fields of a pod that a variable can be set from; labels and annotations one by one. */
export const variableFields: readonly string[] = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]

/** Fields of a pod that a file can be made from. */
const fileFields: readonly string[] = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
]

const amounts = ['limits', 'requests'].flatMap((bound) =>
  ['cpu', 'ephemeral-storage', 'memory'].map((name) => `${bound}.${name}`),
)

interface DownwardFile {
  readonly path?: string
  readonly fieldRef?: FieldReference
  readonly resourceFieldRef?: ResourceReference
}

/** Every file is made from exactly one thing. */
export function checkDownwardFiles(
  path: string,
  files: List<DownwardFile> | undefined,
): readonly FieldError[] {
  return (files ?? []).flatMap((file, index) => checkFile(`${path}[${index}]`, file))
}

function checkFile(path: string, file: DownwardFile): readonly FieldError[] {
  const { path: at = '', fieldRef, resourceFieldRef } = file
  const both = 'fieldRef and resourceFieldRef can not be specified simultaneously'
  const none = !fieldRef && !resourceFieldRef
  return [
    ...(at === '' ? [] : checkFilePath(`${path}.path`, at)),
    ...(fieldRef && resourceFieldRef ? [invalid(path, 'resource', both)] : []),
    ...(none ? [required(path, 'one of fieldRef and resourceFieldRef is required')] : []),
    ...(fieldRef ? checkFieldRef(`${path}.fieldRef`, fieldRef, fileFields) : []),
    ...(resourceFieldRef
      ? checkResourceFieldRef(`${path}.resourceFieldRef`, resourceFieldRef, true)
      : []),
  ]
}

/** A field is one of those that can be told, or one label or annotation by its key. */
export function checkFieldRef(
  path: string,
  { fieldPath = '' }: FieldReference,
  fields: readonly string[],
): readonly FieldError[] {
  const at = `${path}.fieldPath`
  if (fieldPath === '' || fields.includes(fieldPath)) return []
  const key = /^metadata\.(?:labels|annotations)\['([^']*)'\]$/.exec(fieldPath)?.[1]
  if (key !== undefined) return invalidAll(at, fieldPath, qualifiedNameProblems(key))
  if (fileFields.includes(fieldPath) || variableFields.includes(fieldPath)) {
    return [unsupported(at, fieldPath, fields)]
  }
  const why = `error converting fieldPath: field label not supported: ${fieldPath}`
  return [invalid(at, fieldPath, why)]
}

/** An amount of a container, in steps that make sense for it. A file has to say which container. */
export function checkResourceFieldRef(
  path: string,
  { containerName, resource = '', divisor = '0' }: ResourceReference,
  named = false,
): readonly FieldError[] {
  const known = amounts.includes(resource) || /^(?:limits|requests)\.hugepages-/.test(resource)
  return [
    ...(named && !containerName ? [required(`${path}.containerName`)] : []),
    ...(resource === '' || known ? [] : [unsupported(`${path}.resource`, resource, amounts)]),
    ...(known ? checkDivisor(`${path}.divisor`, resource, divisor) : []),
  ]
}

const decimal = ['1k', '1M', '1G', '1T', '1P', '1E']
const binary = ['1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei']

function checkDivisor(path: string, resource: string, divisor: string): readonly FieldError[] {
  const name = resource.slice(resource.indexOf('.') + 1)
  const steps = name === 'cpu' ? ['1m', '1'] : ['1', ...decimal, ...binary]
  const given = parseQuantity(divisor)
  const equal = (step: string) => given && compareQuantities(given, parseQuantity(step)!) === 0
  if (['0', ...steps].some(equal)) return []
  const listed = name === 'cpu' ? '1m and 1' : steps.join(', ')
  const why = `only divisor's values ${listed} are supported with the ${name} resource`
  return [invalid(path, divisor, why)]
}
