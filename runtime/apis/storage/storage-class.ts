/** The rules of StorageClass and VolumeAttributesClass. */
import { qualifiedNameProblems } from '../../kernel/meta/names.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { duplicate, invalidAll, required, tooLong, unsupported } from '../types/field-errors.ts'
import type { List, Strings } from '../types/shapes.ts'
import { checkDriver } from './csi.ts'

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
export const storageClass: Strategy = {
  validate(object) {
    const given = object as StorageClass
    const { provisioner = '', parameters, reclaimPolicy = '' } = given
    const kept = ['', 'Delete', 'Retain'].includes(reclaimPolicy)
    const lower = provisioner.toLowerCase()
    return [
      ...invalidAll('provisioner', provisioner, provisioner ? qualifiedNameProblems(lower) : []),
      ...checkParameters(parameters),
      ...(kept ? [] : [unsupported('reclaimPolicy', reclaimPolicy, ['Delete', 'Retain'])]),
      ...checkTopologies(given),
    ]
  },
}

/** A class of attributes has some. */
export const volumeAttributesClass: Strategy = {
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

function checkParameters(parameters: Strings | undefined): readonly FieldError[] {
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

function checkTopologies({ allowedTopologies }: StorageClass): readonly FieldError[] {
  return (allowedTopologies ?? []).flatMap(({ matchLabelExpressions }, term) => {
    const keys = new Set<string>()
    return (matchLabelExpressions ?? []).flatMap(({ key = '', values }, index) => {
      const path = `allowedTopologies[${term}].matchLabelExpressions[${index}]`
      const twice = keys.has(key)
      keys.add(key)
      return [
        ...(values?.length ? [] : [required(`${path}.values`)]),
        ...(twice ? [duplicate(`${path}.key`, key)] : []),
        ...invalidAll(`${path}.key`, key, key ? qualifiedNameProblems(key) : []),
      ]
    })
  })
}
