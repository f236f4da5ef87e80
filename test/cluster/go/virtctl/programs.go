//go:build programs

// Package programs names what is built from this module, so that go.mod holds all that it needs.
package programs

import _ "kubevirt.io/kubevirt/cmd/virtctl"
