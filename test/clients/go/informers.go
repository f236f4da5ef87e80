package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// log keeps what an informer was told, in order.
type log struct {
	mutex sync.Mutex
	lines []string
}

func (l *log) add(verb string, object any) {
	if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = gone.Obj
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	found := object.(*corev1.ConfigMap)
	l.lines = append(l.lines, fmt.Sprintf("%s %s %s", verb, found.Name, found.Data["a"]))
}

func (l *log) has(line string) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, each := range l.lines {
		if each == line {
			return true
		}
	}
	return false
}

// follow starts an informer on the config maps with a label, and waits until it has seen those that are there.
func follow(ctx context.Context, client kubernetes.Interface, label string) (*log, corelisters.ConfigMapLister, error) {
	told := &log{}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace),
		informers.WithTweakListOptions(func(o *metav1.ListOptions) { o.LabelSelector = "app=" + label }))
	configMaps := factory.Core().V1().ConfigMaps()
	_, err := configMaps.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { told.add("add", object) },
		UpdateFunc: func(_, object any) { told.add("update", object) },
		DeleteFunc: func(object any) { told.add("delete", object) },
	})
	if err != nil {
		return nil, nil, err
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), configMaps.Informer().HasSynced) {
		return nil, nil, fmt.Errorf("the cache never synced")
	}
	return told, configMaps.Lister(), nil
}

func configMap(name, label, value string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": label}},
		Data:       map[string]string{"a": value},
	}
}

func followChanges(ctx context.Context, config *rest.Config, label string) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	maps := client.CoreV1().ConfigMaps(namespace)
	first, err := maps.Create(ctx, configMap(label+"-first", label, "1"), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	told, lister, err := follow(ctx, client, label)
	if err != nil {
		return err
	}
	if !told.has("add " + first.Name + " 1") {
		return fmt.Errorf("synced without what was there: %v", told.lines)
	}
	second, err := maps.Create(ctx, configMap(label+"-second", label, "2"), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	first.Data["a"] = "3"
	if _, err = maps.Update(ctx, first, metav1.UpdateOptions{}); err != nil {
		return err
	}
	if err = maps.Delete(ctx, second.Name, metav1.DeleteOptions{}); err != nil {
		return err
	}
	for _, line := range []string{"add " + second.Name + " 2", "update " + first.Name + " 3", "delete " + second.Name + " 2"} {
		if err = until(ctx, line, func() bool { return told.has(line) }); err != nil {
			return err
		}
	}
	cached, err := lister.ConfigMaps(namespace).List(labels.Everything())
	if err != nil || len(cached) != 1 {
		return fmt.Errorf("the cache holds %d objects: %v", len(cached), err)
	}
	return nil
}

// restart says when the server may be started again, hears when that has been done, and must then hear of everything.
func restart(ctx context.Context, config *rest.Config) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	told, _, err := follow(ctx, client, "restarted")
	if err != nil {
		return err
	}
	fmt.Println("restart now")
	if _, err = bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return err
	}
	maps := client.CoreV1().ConfigMaps(namespace)
	if _, err = maps.Create(ctx, configMap("after", "restarted", "1"), metav1.CreateOptions{}); err != nil {
		return err
	}
	return until(ctx, "the informer is back", func() bool { return told.has("add after 1") })
}
