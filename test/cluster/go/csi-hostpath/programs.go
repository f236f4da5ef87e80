//go:build programs

// Package programs names what is built from this module, so that go.mod holds all that it needs.
package programs

import _ "github.com/kubernetes-csi/csi-driver-host-path/cmd/hostpathplugin"
