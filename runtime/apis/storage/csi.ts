/** Strategies of the kinds that external storage drivers use. */
import type { CSIDriver } from '../../../generated/apis/storage/v1/csi-driver.ts'
import type { CSINode, CSINodeDriver } from '../../../generated/apis/storage/v1/csi-node.ts'
import type { VolumeAttachment } from '../../../generated/apis/storage/v1/volume-attachment.ts'
import { dnsSubdomainProblems, qualifiedNameProblems } from '../../kernel/meta/names.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import type { Check, Field } from '../../kernel/walker/field.ts'
import type { Strategy } from '../strategy/strategy.ts'

const longestDriver = 63
const longestNode = 192

/** A driver object bears the driver's name, and asks for one token of each audience. */
export const csiDriver: Strategy<CSIDriver> = {
  check(object) {
    object.child('metadata').when('name', driverName)
    const audiences = new Set<string>()
    object.child('spec').each('tokenRequests', (token) => token.distinct('audience', audiences))
  },
}

/** Each driver of a node is there once, and what it said of itself stays. */
export const csiNode: Strategy<CSINode> = {
  check(object) {
    const spec = object.child('spec')
    spec.each('drivers', checkNodeDriver)
    const names = new Set<string>()
    spec.each('drivers', (driver) => driver.distinct('name', names))
    const before = new Map(spec.old?.drivers?.map((driver) => [driver.name, driver]))
    spec.each('drivers', (driver) => {
      const known = before.get(driver.value.name)
      if (known !== undefined && !deepEqual(known, driver.value)) {
        driver.invalid('', 'field is immutable')
      }
    })
  },
}

/** An attachment is of one volume; the schema keeps the rest of it as it is. */
export const volumeAttachment: Strategy<VolumeAttachment> = {
  check(object) {
    const spec = object.child('spec')
    spec.visit('attacher', 'nodeName')
    const { persistentVolumeName, inlineVolumeSpec } = spec.value.source ?? {}
    const why = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName'
    if (persistentVolumeName === undefined && !inlineVolumeSpec) spec.required('source', why)
    if (persistentVolumeName !== undefined && inlineVolumeSpec) spec.forbidden('source', why)
    spec.child('source').checkText('persistentVolumeName', dnsSubdomainProblems)
  },
}

/** A driver is named like a domain, in short. */
export const driverName: Check<string> = (name) => {
  if (!name.value) return
  if (name.value.length > longestDriver) name.tooLong('', longestDriver)
  name.invalidAll('', dnsSubdomainProblems(name.value.toLowerCase()))
}

function checkNodeDriver(driver: Field<CSINodeDriver>): void {
  driver.visit('name')
  if ((driver.value.nodeID?.length ?? 0) > longestNode) driver.tooLong('nodeID', longestNode)
  const keys = driver.value.topologyKeys ?? []
  const seen = new Set<string>()
  for (const key of keys) driver.distinct('topologyKeys', seen, key)
  if (keys.includes('')) driver.required('topologyKeys')
  for (const key of keys) {
    if (key !== '') driver.invalidAll('topologyKeys', qualifiedNameProblems(key), key)
  }
}
