package main

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// apply lets two managers want the same field: the second hears of the conflict, and may take it by force.
func apply(ctx context.Context, config *rest.Config) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	maps := client.CoreV1().ConfigMaps(namespace)
	wanted := func(value string) *corev1.ConfigMapApplyConfiguration {
		return corev1.ConfigMap("applied", namespace).WithData(map[string]string{"a": value})
	}
	if _, err = maps.Apply(ctx, wanted("1"), metav1.ApplyOptions{FieldManager: "one"}); err != nil {
		return err
	}
	_, err = maps.Apply(ctx, wanted("2"), metav1.ApplyOptions{FieldManager: "two"})
	if !errors.IsConflict(err) {
		return fmt.Errorf("expected a conflict, got %v", err)
	}
	if causes := err.(*errors.StatusError).Status().Details.Causes; len(causes) != 1 || causes[0].Field != ".data.a" {
		return fmt.Errorf("unexpected causes of the conflict: %v", causes)
	}
	applied, err := maps.Apply(ctx, wanted("2"), metav1.ApplyOptions{FieldManager: "two", Force: true})
	if err != nil {
		return err
	}
	if applied.Data["a"] != "2" {
		return fmt.Errorf("applied %v", applied.Data)
	}
	extracted, err := corev1.ExtractConfigMap(applied, "two")
	if err != nil {
		return err
	}
	if extracted.Data["a"] != "2" {
		return fmt.Errorf("the manager owns %v", extracted.Data)
	}
	return nil
}

// elect has two candidates: one leads, and the other takes over once the first has let go.
func elect(ctx context.Context, config *rest.Config) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	leading := make(chan string, 2)
	candidate := func(ctx context.Context, name string) {
		lock := &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Name: "leader", Namespace: namespace},
			Client:     client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: name},
		}
		leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock:            lock,
			ReleaseOnCancel: true,
			LeaseDuration:   3 * time.Second,
			RenewDeadline:   2 * time.Second,
			RetryPeriod:     100 * time.Millisecond,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { leading <- name },
				OnStoppedLeading: func() {},
			},
		})
	}
	first, letGo := context.WithCancel(ctx)
	defer letGo()
	go candidate(first, "first")
	if name, err := next(ctx, leading); err != nil || name != "first" {
		return fmt.Errorf("led by %q: %v", name, err)
	}
	second, stop := context.WithCancel(ctx)
	defer stop()
	go candidate(second, "second")
	select {
	case name := <-leading:
		return fmt.Errorf("%s leads beside first", name)
	case <-time.After(500 * time.Millisecond):
	}
	letGo()
	if name, err := next(ctx, leading); err != nil || name != "second" {
		return fmt.Errorf("then led by %q: %v", name, err)
	}
	return nil
}

func next(ctx context.Context, names <-chan string) (string, error) {
	select {
	case name := <-names:
		return name, nil
	case <-time.After(20 * time.Second):
		return "", fmt.Errorf("nobody leads")
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
