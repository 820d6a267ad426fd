/** The rules of StorageClass and VolumeAttributesClass. */
import { qualifiedNameProblems } from '../kernel/names.ts'
import type { ApiObject } from '../kernel/object.ts'
import type { Finding } from '../kernel/read.ts'
import { duplicate, problems, required, tooLong, unsupported } from './findings.ts'
import type { Rule } from './kinds.ts'
import type { List, Strings } from './shapes.ts'
import { checkDriver } from './storage-drivers.ts'

interface StorageClass extends ApiObject {
  readonly provisioner?: string
  readonly parameters?: Strings
  readonly reclaimPolicy?: string
  readonly allowedTopologies?: List<{
    readonly matchLabelExpressions?: List<{ readonly key?: string; readonly values?: List<string> }>
  }>
}

const mostParameters = 512
const mostBytes = 256 * 1024

/** A provisioner is told what it can know of a class (supplement I-20). */
export const storageClass: Rule = {
  validate(object) {
    const given = object as StorageClass
    const { provisioner = '', parameters, reclaimPolicy = '' } = given
    const kept = ['', 'Delete', 'Retain'].includes(reclaimPolicy)
    const lower = provisioner.toLowerCase()
    return [
      ...problems('provisioner', provisioner, provisioner ? qualifiedNameProblems(lower) : []),
      ...checkParameters(parameters),
      ...(kept ? [] : [unsupported('reclaimPolicy', reclaimPolicy, ['Delete', 'Retain'])]),
      ...checkTopologies(given),
    ]
  },
}

/** A class of attributes has some. */
export const volumeAttributesClass: Rule = {
  validate(object) {
    const { driverName = '', parameters } = object as StorageClass & {
      readonly driverName?: string
    }
    const none = Object.keys(parameters ?? {}).length === 0
    const why = 'must contain at least one key/value pair'
    return [
      ...checkDriver('driverName', driverName),
      ...(none ? [required('parameters', why)] : checkParameters(parameters)),
    ]
  },
}

function checkParameters(parameters: Strings | undefined): readonly Finding[] {
  const entries = Object.entries(parameters ?? {})
  const size = entries.reduce((sum, [key, value]) => sum + key.length + value.length, 0)
  return [
    ...(entries.length > mostParameters ? [tooLong('parameters', mostParameters)] : []),
    ...(entries.some(([key]) => key === '')
      ? [required('parameters[]', 'field can not be empty.')]
      : []),
    ...(size > mostBytes ? [tooLong('parameters', mostBytes)] : []),
  ]
}

function checkTopologies({ allowedTopologies }: StorageClass): readonly Finding[] {
  return (allowedTopologies ?? []).flatMap(({ matchLabelExpressions }, term) => {
    const keys = new Set<string>()
    return (matchLabelExpressions ?? []).flatMap(({ key = '', values }, index) => {
      const path = `allowedTopologies[${term}].matchLabelExpressions[${index}]`
      const twice = keys.has(key)
      keys.add(key)
      return [
        ...(values?.length ? [] : [required(`${path}.values`)]),
        ...(twice ? [duplicate(`${path}.key`, key)] : []),
        ...problems(`${path}.key`, key, key ? qualifiedNameProblems(key) : []),
      ]
    })
  })
}
