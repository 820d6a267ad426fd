import { storeContract } from './contract.ts'
import { freshStores } from './drivers.ts'

for (const [name, open] of freshStores) storeContract(name, open)
