#!/usr/bin/env node
import { configKinds } from '../../generated/config.ts'
import { features } from '../../generated/features.ts'
import { options } from '../../generated/options/orch-apiserver.ts'
import { scheme } from '../../generated/scheme.ts'
import { run } from '../run.ts'
import { runApiServer } from './apiserver.ts'

await run((terminal, signal) =>
  runApiServer({ options, features, configKinds, scheme }, terminal, signal),
)
