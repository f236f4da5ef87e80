// Command clients uses an API server as Go programs do: with client-go's informers, leader election, server-side apply
// and dynamic client. It prints one line for each thing that went well, and ends with the first that did not.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const namespace = "default"

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	must("read the kubeconfig", err)
	config.QPS, config.Burst = 200, 400
	steps := []struct {
		name string
		run  func(context.Context, *rest.Config) error
	}{
		{"informers in JSON", func(ctx context.Context, c *rest.Config) error { return followChanges(ctx, c, "json") }},
		{"informers in protobuf", func(ctx context.Context, c *rest.Config) error {
			return followChanges(ctx, protobuf(c), "protobuf")
		}},
		{"server-side apply", apply},
		{"leader election", elect},
		{"the dynamic client", dynamics},
		{"an informer over a restart", restart},
	}
	for _, step := range steps {
		must(step.name, step.run(ctx, config))
		fmt.Println("ok:", step.name)
	}
}

// protobuf asks for it as Kubernetes' own components do, and takes JSON where there is none.
func protobuf(config *rest.Config) *rest.Config {
	changed := rest.CopyConfig(config)
	changed.ContentType = "application/vnd.kubernetes.protobuf"
	changed.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	return changed
}

// until waits for a condition that others bring about.
func until(ctx context.Context, what string, met func() bool) error {
	err := wait.PollUntilContextTimeout(ctx, 10*time.Millisecond, 20*time.Second, true,
		func(context.Context) (bool, error) { return met(), nil })
	if err != nil {
		return fmt.Errorf("waiting until %s: %w", what, err)
	}
	return nil
}

func must(what string, err error) {
	if err != nil {
		fmt.Printf("failed: %s: %v\n", what, err)
		os.Exit(1)
	}
}
